/** Runs the examples of the API document, either as printed or with the ids of objects that a test created. */
import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import type { ValueSource } from '@rdm/platform';
import { answerProblem, operationAt } from '../api-document/answer-check.ts';
import { type DocumentedOperation, documentedOperations } from '../api-document/random-requests.ts';
import { requestResetToken } from './accounts.ts';
import { ApiKeyClient } from './api-key-client.ts';
import { done, newDataSet } from './fixtures.ts';
import { HttpClient, type Json } from './http-client.ts';
import { type Caller, sendAs } from './permissions/callers.ts';
import { createGrantedCollection, csvForm, newUser, type PermissionFixture } from './permissions/fixture.ts';
import { type PreparedRequest, requestBuilderOf } from './permissions/requests.ts';

/** The variables of the printed commands. */
export interface ShellVariables {
  ORIGIN: string;
  API_KEY: string;
  SESSION: string;
}

/**
 * Operations other than GET whose examples change no data: previews, computations, and requests that store only an
 * upload or a selection.
 */
const HARMLESS: ReadonlySet<string> = new Set([
  'postApprovalsImpact',
  'postCrosswalksByIdDuplicate',
  'postCrosswalksByIdMappingsImportPreview',
  'postCrosswalksByIdReverse',
  'postCrosswalksByIdTranslate',
  'postFilterTest',
  'postImports',
  'postReferenceDataByIdInstancesDeletionImpact',
  'postReferenceDataByIdInstancesPastePreview',
  'postReferenceDataByIdSchemaPreview',
  'postReferenceTypesByIdSchemaPreview',
  'postRelationshipsByIdCopy',
  'postRelationshipsByIdValuesImportPreview',
  'postSelections',
  'postValidationTest',
]);

const isHarmless = ({ method, operation }: DocumentedOperation): boolean =>
  method === 'GET' || HARMLESS.has(operation.operationId);
export const harmlessOperations = (): DocumentedOperation[] => documentedOperations().filter(isHarmless);
export const writingOperations = (): DocumentedOperation[] =>
  documentedOperations().filter((each) => !isHarmless(each));

/** Returns whether the answer of an operation is a stream, which may never end. */
const isStream = ({ operation }: DocumentedOperation): boolean =>
  'text/event-stream' in (operation.responses['200']?.content ?? {});

interface PrintedAnswer {
  status: number;
  contentType: string;
  body: Json;
}

/** Starts a printed command in a shell that adds options to `curl`. */
const startCommand = (source: string, options: string, variables: ShellVariables) =>
  spawn('sh', ['-c', `curl() { command curl -sS --max-time 60 ${options} "$@"; }\n${source}`], {
    env: { ...process.env, ...variables },
    detached: true,
  });

/** Ends a process group, which may have ended already. */
function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Opens a stream, ends it, and returns the HTTP status; 0 without a response. */
export function openStream(source: string, variables: ShellVariables): Promise<number> {
  return new Promise((resolve, reject) => {
    const shell = startCommand(source, '--no-buffer --include', variables);
    let output = '';
    shell.on('error', reject);
    shell.on('close', () => resolve(Number(/^HTTP\S* (\d{3})/.exec(output)?.[1] ?? 0)));
    shell.stdout.on('data', (data) => {
      output += data;
      // The shell and its curl are one process group.
      if (output.includes('\n')) endGroup(shell.pid);
    });
  });
}

/**
 * Runs a printed command, and repeats the command while the server answers 429: the examples of imports run at the same
 * time, and can exceed the limit of files that the server reads at once for one user.
 */
export async function runCommand(source: string, variables: ShellVariables): Promise<PrintedAnswer> {
  for (;;) {
    const answer = await runOnce(source, variables);
    if (answer.status !== 429) return answer;
    await pause(500);
  }
}

/** Runs a printed command once, in a shell whose `curl` also prints the status and the content type. */
function runOnce(source: string, variables: ShellVariables): Promise<PrintedAnswer> {
  return new Promise((resolve, reject) => {
    const shell = startCommand(source, "-w '\\n%{http_code} %{content_type}'", variables);
    let output = '';
    let errors = '';
    shell.stdout.on('data', (data) => {
      output += data;
    });
    shell.stderr.on('data', (data) => {
      errors += data;
    });
    shell.on('error', reject);
    shell.on('close', () => {
      const statusLineBreak = output.lastIndexOf('\n');
      const [, status, contentType = ''] = /^(\d{3}) ?(.*)$/.exec(output.slice(statusLineBreak + 1)) ?? [];
      if (status === undefined) return reject(new Error(`${source}\nprinted ${output}${errors}`));
      const text = output.slice(0, statusLineBreak);
      const body = /^application\/([\w.]+\+)?json/.test(contentType) && text !== '' ? JSON.parse(text) : text;
      resolve({ status: Number(status), contentType, body });
    });
  });
}

const sampleOf = ({ operation }: DocumentedOperation, label?: string): string => {
  const samples = operation['x-codeSamples'];
  const sample = label === undefined ? samples[0] : samples.find((each) => each.label === label);
  if (!sample) throw new Error(`${operation.operationId} has no example ${label}`);
  return sample.source;
};

/** Returns the value that the document prints for a parameter or a property of the body. */
function printedValue({ operation }: DocumentedOperation, name: string): string {
  const parameter = operation.parameters.find((each) => each.name === name);
  const body = operation.requestBody?.content['application/json']?.example as Json;
  return String(parameter?.example ?? body?.[name]);
}

function sourceOperation({ operation }: ValueSource): DocumentedOperation {
  const [method = '', template = ''] = operation.split(' ');
  const source = documentedOperations().find((each) => each.method === method && each.template === template);
  if (!source) throw new Error(`The document names ${operation}, which does not exist`);
  return source;
}

/**
 * Returns the printed command. A value with a source operation in the document is replaced by the value that this
 * operation returns.
 */
async function commandOf(documented: DocumentedOperation, label: string | undefined, variables: ShellVariables) {
  let source = sampleOf(documented, label);
  for (const [name, from] of Object.entries(documented.operation['x-example-values'] ?? {})) {
    const { body } = await runCommand(sampleOf(sourceOperation(from), from.example), variables);
    source = source.replace(printedValue(documented, name), String(body[from.property]));
  }
  return source;
}

const isSuccess = ({ operation }: DocumentedOperation, status: number): boolean =>
  status < 300 && String(status) in operation.responses;

/** Runs each printed command of an operation. Returns a message for each answer that is not the documented success. */
export async function problemsOfPrinted(documented: DocumentedOperation, variables: ShellVariables): Promise<string[]> {
  const { method, template, operation } = documented;
  const problems: string[] = [];
  for (const { label } of operation['x-codeSamples']) {
    const source = await commandOf(documented, label, variables);
    if (isStream(documented)) {
      const status = await openStream(source, variables);
      if (status !== 200) problems.push(`${source}\nanswered ${status}`);
      continue;
    }
    const answer = await runCommand(source, variables);
    const problem = answerProblem(method, template, answer);
    if (!isSuccess(documented, answer.status) || problem) {
      problems.push(`${source}\nanswered ${answer.status}: ${problem ?? JSON.stringify(answer.body)}`);
    }
  }
  return problems;
}

/**
 * Properties whose texts are replaced by texts of a prepared request. Numbers need no list, because all numbers are
 * replaced.
 */
const REPLACED_TEXTS: ReadonlySet<string> = new Set([
  ...['commandId', 'fileId', 'entityType', 'entity', 'sourceKey', 'targetKey', 'token'],
  ...['username', 'password', 'currentPassword', 'newPassword', 'confirmPassword'],
]);

/**
 * Replaces the numbers and the REPLACED_TEXTS of an example by the values of a prepared request, if the request has
 * these values.
 */
function withPreparedValues(example: Json, prepared: Json, name = ''): Json {
  if (Array.isArray(example)) {
    if (!Array.isArray(prepared)) return example;
    if (typeof example[0] !== 'object') return typeof prepared[0] === 'number' ? prepared : example;
    return example.map((each, index) => withPreparedValues(each, prepared[index]));
  }
  if (typeof example === 'object' && example !== null) {
    return Object.fromEntries(
      Object.entries(example).map(([key, each]) => [key, withPreparedValues(each, prepared?.[key], key)]),
    );
  }
  return typeof prepared === 'number' || (typeof prepared === 'string' && REPLACED_TEXTS.has(name))
    ? prepared
    : example;
}

/** Returns a form with an invalid row. The import of the form fails if all rows must be valid. */
const invalidForm = (dataSetId: number): FormData => {
  const form = new FormData();
  form.set('dataSetId', String(dataSetId));
  form.set('file', new File(['code,name\n,No code\n'], 'rows.csv'));
  return form;
};

/** Starts an import into a new data set. Any invalid row fails the import. Returns the path of the job. */
async function startImport(
  { author, typeId, collectionId }: PermissionFixture,
  formFor: (dataSetId: number) => FormData,
): Promise<string> {
  const { id } = done(await author.post('/api/imports', formFor(await newDataSet(author, typeId, collectionId))));
  const body = { description: 'Rows', allOrNothing: true };
  return `/api/jobs/${done(await author.post(`/api/imports/${id}/start`, body)).jobId}`;
}

/**
 * Requests that replace requests of the permission table, by operation. The replaced requests succeed for no caller, or
 * would change the grants of the callers.
 */
const REPLACEMENT_REQUESTS: Readonly<Record<string, (fixture: PermissionFixture) => Promise<PreparedRequest>>> = {
  'PUT /api/collections/:id/permissions': async ({ author, spareId }) => ({
    path: `/api/collections/${await createGrantedCollection(author, [])}/permissions`,
    body: { permissions: [{ entityId: spareId }] },
  }),
  // The file has many rows, so that the job does not end before it is cancelled.
  'POST /api/jobs/:id/cancel': async (fixture) => ({
    path: `${await startImport(fixture, (dataSetId) => csvForm(dataSetId, 10_000))}/cancel`,
  }),
  'POST /api/jobs/:id/retry': async (fixture) => {
    const path = await startImport(fixture, invalidForm);
    await fixture.author.eventually(path, ({ body }) => body.status === 'FAILED');
    return { path: `${path}/retry` };
  },
  'POST /api/reset-password': async ({ admin }) => {
    const { username } = await newUser(admin, 4);
    return { path: '/api/reset-password', body: { token: await requestResetToken(admin, `${username}@example.com`) } };
  },
};

/** Paths of actions on own work. On the work of others, the actions need ADMIN, which no API key has. */
const OWN_WORK_ACTIONS = /\/(recall|discard|undo)$/;
/** Paths that recall or discard what only ADMIN can do: delete a relationship, and change a crosswalk. */
const NEEDS_ADMIN = /^\/api\/(relationships(\/\{id\})?\/recall|crosswalks(\/\{id\})?\/discard)$/;

/**
 * Makes the API key of a caller the author of the fixture; a caller without a key changes nothing. The administrator
 * created the key and may not approve its work, so an approver sends the requests of the administrator.
 */
async function withAuthor(fixture: PermissionFixture, { key }: Caller): Promise<PermissionFixture> {
  if (key === undefined) return fixture;
  const { username, password } = fixture.callers.approver.signIn as NonNullable<Caller['signIn']>;
  const approver = new HttpClient();
  done(await approver.signIn(username, password));
  return { ...fixture, author: new ApiKeyClient(key), admin: approver };
}

/**
 * Runs the example of a writing operation on objects that the permission table prepares. Returns a message if the
 * example fails.
 */
export async function problemOfWriting(
  documented: DocumentedOperation,
  fixture: PermissionFixture,
): Promise<string | undefined> {
  const { method, template, operation } = documented;
  const isForKeys = operation.security.some((scheme) => 'bearer' in scheme) && !NEEDS_ADMIN.test(template);
  const caller: Caller = fixture.callers[isForKeys ? 'key-write' : 'admin'];
  const name = `${method} ${template.replace(/\{(\w+)\}/g, ':$1')}`;
  const build = REPLACEMENT_REQUESTS[name] ?? requestBuilderOf(name);
  const isOnOwnWork = OWN_WORK_ACTIONS.test(template);
  const prepared = await build(isOnOwnWork ? await withAuthor(fixture, caller) : fixture, caller);
  if (operationAt(method, prepared.path) !== operation) throw new Error(`${prepared.path} is not ${template}`);
  const example = operation.requestBody?.content['application/json']?.example;
  const body = withPreparedValues(example, prepared.body);
  const answer = await sendAs(
    fixture.baseUrl,
    { ...caller, ...(prepared.cookie === undefined ? {} : { cookie: prepared.cookie }) },
    { method, path: prepared.path, body },
  );
  await prepared.after?.(answer);
  const isRefused = answer.body?.refused > 0 || prepared.shows?.(answer.body) === false;
  const isDone = isSuccess(documented, answer.status) && !isRefused;
  return isDone
    ? undefined
    : `${name} ${JSON.stringify(body)} answered ${answer.status}: ${JSON.stringify(answer.body)}`;
}
