/**
 * Checks that the API documents are valid and complete and agree with the permission table, and runs the examples of
 * the documents and of the help pages.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type ApiDocument, apiDocument, operationAt } from '../api-document/answer-check.ts';
import {
  harmlessOperations,
  openStream,
  problemOfWriting,
  problemsOfPrinted,
  runCommand,
  type ShellVariables,
  writingOperations,
} from './api-examples.ts';
import { done, newDataSet, newType } from './fixtures.ts';
import { HttpClient, signInAs, uniqueName } from './http-client.ts';
import { createFixture, type PermissionFixture } from './permissions/fixture.ts';
import { ROWS } from './permissions/table.ts';
import { ADMIN_PASSWORD } from './stack.ts';

const asyncApiSchema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json');

describe('the API documents', () => {
  const anonymous = () => new HttpClient();

  it('are valid OpenAPI 3.1 and AsyncAPI 3, served without sign-in', async () => {
    const openApi = await anonymous().get('/api/openapi.json');
    const { valid, errors } = await new Validator().validate(openApi.body);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(openApi.body).toEqual(apiDocument);
    const asyncApi = await anonymous().get('/api/asyncapi.json');
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(asyncApiSchema);
    expect([validate(asyncApi.body), validate.errors]).toEqual([true, null]);
    expect(asyncApi.body.asyncapi).toBe('3.0.0');
  });

  it('describe exactly the routes outside /internal', () => {
    const documented = Object.entries((apiDocument as ApiDocument).paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const routes = ROWS.map(({ route }) => route.replace('/api/okta-login', '/api/:provider-login')).filter(
      (route) => !route.includes(' /internal/'),
    );
    expect(documented.sort()).toEqual([...new Set(routes)].sort());
  });

  it('have examples for required parameters and JSON bodies', () => {
    const missing = Object.values((apiDocument as ApiDocument).paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ operationId, parameters, requestBody }) => {
        const media = requestBody?.content['application/json'];
        // A body that can also be an upload needs no JSON example.
        const isUpload = Object.keys(requestBody?.content ?? {}).some((type) => type !== 'application/json');
        const parametersWithoutExample = parameters.filter(
          ({ required, example }) => required && example === undefined,
        );
        return parametersWithoutExample.length > 0 || (media && !isUpload && media.example === undefined)
          ? [operationId]
          : [];
      }),
    );
    expect(missing).toEqual([]);
  });

  it('use the same format for the id of an upload in every path', () => {
    const formats = Object.entries((apiDocument as ApiDocument).paths).flatMap(([path, operations]) =>
      Object.values(operations).flatMap(({ operationId, description, parameters }) =>
        path.startsWith('/api/imports/{id}') && description?.includes('in the answer of `POST /api/imports`')
          ? [[operationId, parameters.find(({ name }) => name === 'id')?.schema['format']]]
          : [],
      ),
    );
    expect(formats.length).toBeGreaterThan(5);
    expect(formats.filter(([, format]) => format !== 'uuid')).toEqual([]);
  });

  it('describe every query parameter', () => {
    const undescribed = Object.values((apiDocument as ApiDocument).paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ operationId, parameters }) =>
        parameters.flatMap(({ in: place, name, description }) =>
          place === 'query' && !description ? [`${operationId} ${name}`] : [],
        ),
      ),
    );
    expect(undescribed).toEqual([]);
  });

  it('describe the headers of 401, 429 and 503, and how to resume the change feed', () => {
    const { paths, components } = apiDocument as ApiDocument;
    const withoutWait = Object.entries(components.responses).flatMap(([name, { headers = {} }]) =>
      /^(429|503)-/.test(name) === 'Retry-After' in headers ? [] : [name],
    );
    expect(withoutWait).toEqual([]);
    const withoutScheme = Object.entries(components.responses).flatMap(([name, { headers = {} }]) =>
      /^401-/.test(name) === 'WWW-Authenticate' in headers ? [] : [name],
    );
    expect(withoutScheme).toEqual([]);
    const [page, stream] = ['/api/changes', '/api/changes/stream'].map((path) => paths[path]?.['get']);
    expect([page?.responses, stream?.responses]).toEqual(
      Array(2).fill(expect.objectContaining({ 410: { $ref: '#/components/responses/410-GONE' } })),
    );
    const resuming = Object.entries(paths).flatMap(([path, { get }]) =>
      get?.parameters.some(({ $ref }) => $ref === '#/components/parameters/LastEventId') ? [path] : [],
    );
    expect(resuming).toEqual(['/api/changes/stream']);
  });

  it('list the answer 304 for each read with an ETag', async () => {
    const { paths } = apiDocument as ApiDocument;
    const wrong = Object.values(paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ operationId, responses }) =>
        '304' in responses === 'ETag' in (responses['200']?.headers ?? {}) ? [] : [operationId],
      ),
    );
    expect(wrong).toEqual([]);
    const path = '/api/reference-types/1/schemas';
    const admin = await signInAs('admin');
    const tag = String((await admin.get(path)).headers.get('ETag'));
    const repeated = await admin.get(path, { headers: { 'If-None-Match': tag } });
    expect([repeated.status, paths['/api/reference-types/{id}/schemas']?.['get']?.responses]).toEqual([
      304,
      expect.objectContaining({ 304: { $ref: '#/components/responses/304' } }),
    ]);
  });

  it('agree with the permission table about the routes for API keys', () => {
    const keys = ['key-read', 'key-translate', 'key-write'] as const;
    const wrong = ROWS.filter(({ route }) => !route.includes(' /internal/')).flatMap(({ name, route, cells }) => {
      const [method = '', path = ''] = route.replace('/api/okta-login', '/api/{provider}-login').split(' ');
      const operation = operationAt(method, path);
      const isPublic = operation?.security.length === 0;
      const accepts = operation?.security.some((scheme) => 'bearer' in scheme);
      const refusesKeys = keys.every((key) => cells[key].status === 403 || cells[key].shows === false);
      const servesKeys = keys.some((key) => cells[key].status < 400 || [404, 409].includes(cells[key].status));
      const isWrong = accepts ? !servesKeys : !refusesKeys && keys.some((key) => cells[key].status < 400);
      return isPublic || !isWrong || name.includes('#') ? [] : [name];
    });
    expect(wrong).toEqual([]);
  });
});

const HELP = '../../web/src/features/help/content';

/** Operations whose examples the tests below do not run, with the reasons. */
const EXAMPLES_NOT_RUN: Readonly<Record<string, string>> = {
  postProviderLogin:
    'It needs a token of a sign-in provider, and the stack has none; the stories of single sign-on send one',
  getBackupsById:
    'It needs the address that the download request returns after the check of the password; the stories of backups use one',
  postBackupsByIdDownload: 'Its password is not valid; the stories of backups send a valid one',
  postBackupsUpload: 'It needs the file of a backup; the stories of backups upload one',
  getBackupsByIdRestorePreview: 'The sample data contains no backup',
  postBackupsByIdRestore: 'It would replace the data that other stories use; a fault check restores a backup',
  getPurgesById: 'The sample data contains no purge',
  postPurgesByIdRequest: 'The sample data contains no deleted data; the stories of purges request purges',
  postPurgesByIdConfirm: 'It needs a request of another administrator; the stories of purges confirm one',
  postPurgesByIdDecline: 'It needs a request; the stories of purges decline one',
  postPurgesByIdResume: 'It needs a purge that failed',
  postPurgesByIdReclaim: 'It needs a purge that waits until its disk space is reclaimed',
  postGraphRebuild: 'It rebuilds the read models that other stories use; the permission table expects its success',
};

/** Runs a check on all items, four at a time, and returns the problems. */
async function collectProblems<Item>(
  items: readonly Item[],
  problemsOf: (item: Item) => Promise<string[]>,
): Promise<string[]> {
  const remainingItems = [...items];
  const problems: string[] = [];
  const run = async (): Promise<void> => {
    for (let item = remainingItems.shift(); item !== undefined; item = remainingItems.shift())
      problems.push(...(await problemsOf(item)));
  };
  await Promise.all(Array.from({ length: 4 }, run));
  return problems;
}

describe('the examples of the API document', () => {
  let variables: ShellVariables;
  let fixture: PermissionFixture;
  beforeAll(async () => {
    const baseUrl = inject('baseUrl');
    const admin = await signInAs('admin');
    const scopes = [1, 2, 3].map((collectionId) => ({ collectionId, scope: 'write' }));
    const { key } = done(await admin.post('/api/api-keys', { name: uniqueName('Examples'), scopes }));
    variables = { ORIGIN: baseUrl, API_KEY: key, SESSION: /(?:^|; )session=([^;]*)/.exec(admin.cookie)?.[1] ?? '' };
    await vi.waitFor(async () => {
      const { status } = await fetch(`${baseUrl}/api/collections`, { headers: { Authorization: `Bearer ${key}` } });
      expect(status).toBe(200);
    });
    fixture = await createFixture(baseUrl, inject('databaseUrl'), ADMIN_PASSWORD);
  });
  afterAll(() => fixture.close());

  it('succeed as printed on the sample data if they change no data', async () => {
    const operations = harmlessOperations().filter(({ operation }) => !(operation.operationId in EXAMPLES_NOT_RUN));
    expect(operations.length).toBeGreaterThan(100);
    expect(await collectProblems(operations, (each) => problemsOfPrinted(each, variables))).toEqual([]);
  });

  it.each([
    ['translate-codes', ['DEU', 'DEU']],
    ['call-the-api', ['Countries', 'Andorra', 'jobId']],
    ['follow-changes', ['CollectionCreated', 'stream']],
  ])('succeed as printed on the help page %s', async (page, answers) => {
    const text = readFileSync(join(import.meta.dirname, HELP, `${page}.md`), 'utf8');
    const commands = [...text.matchAll(/^```\n(curl [\s\S]*?)\n```$/gm)].map(([, command = '']) => command);
    expect(commands).toHaveLength(answers.length);
    // The import changes a data set that no other story uses.
    const admin = await signInAs('admin');
    const target = await newDataSet(admin, await newType(admin), 1);
    const folder = mkdtempSync(join(tmpdir(), 'rdm-help-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'rows.csv');
    writeFileSync(file, 'code,name\nde,Germany\n');
    for (const [index, command] of commands.entries()) {
      const source = command
        .replace('https://<your server>', '$ORIGIN')
        .replace('/crosswalks/5/', '/crosswalks/1/')
        .replace('dataSetId=1', `dataSetId=${target}`)
        .replace('rows.csv', file);
      if (answers[index] === 'stream') {
        expect([command, await openStream(source, variables)]).toEqual([command, 200]);
        continue;
      }
      const { status, body } = await runCommand(source, variables);
      const isImport = command.includes(' -F ');
      expect([command, status, JSON.stringify(body)]).toEqual([
        command,
        isImport ? 202 : 200,
        expect.stringContaining(`${answers[index]}`),
      ]);
    }
  });

  it('succeed on objects that the test creates, if they change data', async () => {
    const operations = writingOperations().filter(({ operation }) => !(operation.operationId in EXAMPLES_NOT_RUN));
    expect(operations.length).toBeGreaterThan(100);
    const problems = await collectProblems(operations, async (each) =>
      [await problemOfWriting(each, fixture)].filter((problem) => problem !== undefined),
    );
    expect(problems).toEqual([]);
  });
});
