/** Runs the examples of the API document: as they are printed, or with the ids of what a test created. */
import { spawn } from 'node:child_process';
import type { ValueSource } from '@rdm/platform';
import { answerProblem, operationAt } from '../api-document/answer-check.ts';
import { type Documented, documentedOperations } from '../api-document/random-requests.ts';
import { requestResetToken } from './accounts.ts';
import type { Json } from './http-client.ts';
import { type Caller, sendAs } from './permissions/callers.ts';
import { newUser, type PermissionFixture } from './permissions/fixture.ts';
import { type PreparedRequest, REQUESTS } from './permissions/requests.ts';

/** The variables of the printed commands. */
export interface ShellVariables {
  ORIGIN: string;
  API_KEY: string;
  SESSION: string;
}

/** Operations besides GET whose examples leave the sample data as they are. */
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

const isReading = ({ method, operation }: Documented): boolean =>
  method === 'GET' || HARMLESS.has(operation.operationId);
export const readingOperations = (): Documented[] => documentedOperations().filter(isReading);
export const writingOperations = (): Documented[] => documentedOperations().filter((each) => !isReading(each));

/** The document declares when an answer does not end. */
const isStream = ({ operation }: Documented): boolean =>
  'text/event-stream' in (operation.responses['200']?.content ?? {});

interface PrintedAnswer {
  status: number;
  contentType: string;
  body: Json;
}

/** Runs a printed command in a shell; its `curl` also reports the status. */
function runCommand(source: string, variables: ShellVariables, seconds: number): Promise<PrintedAnswer> {
  const reporting = `curl() { command curl -sS --max-time ${seconds} -w '\\n%{http_code} %{content_type}' "$@"; }`;
  return new Promise((resolve, reject) => {
    const shell = spawn('sh', ['-c', `${reporting}\n${source}`], { env: { ...process.env, ...variables } });
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
      const at = output.lastIndexOf('\n');
      const [, status, contentType = ''] = /^(\d{3}) ?(.*)$/.exec(output.slice(at + 1)) ?? [];
      if (status === undefined) return reject(new Error(`${source}\nprinted ${output}${errors}`));
      const text = output.slice(0, at);
      const body = /^application\/([\w.]+\+)?json/.test(contentType) && text !== '' ? JSON.parse(text) : text;
      resolve({ status: Number(status), contentType, body });
    });
  });
}

const sampleOf = ({ operation }: Documented, label?: string): string => {
  const samples = operation['x-codeSamples'];
  const found = label === undefined ? samples[0] : samples.find((sample) => sample.label === label);
  if (!found) throw new Error(`${operation.operationId} has no example ${label}`);
  return found.source;
};

/** The value that the document prints for a parameter or a property of the body. */
function printedValue({ operation }: Documented, name: string): string {
  const parameter = operation.parameters.find((each) => each.name === name);
  const body = operation.requestBody?.content['application/json']?.example as Json;
  return String(parameter?.example ?? body?.[name]);
}

function sourceOperation({ operation }: ValueSource): Documented {
  const [method = '', template = ''] = operation.split(' ');
  const found = documentedOperations().find((each) => each.method === method && each.template === template);
  if (!found) throw new Error(`The document names ${operation}, which does not exist`);
  return found;
}

/** Returns the command as it is printed, with the values that the named operations answer. */
async function commandOf(documented: Documented, label: string | undefined, variables: ShellVariables) {
  let source = sampleOf(documented, label);
  for (const [name, from] of Object.entries(documented.operation['x-example-values'] ?? {})) {
    const { body } = await runCommand(sampleOf(sourceOperation(from), from.example), variables, 20);
    source = source.replace(printedValue(documented, name), String(body[from.property]));
  }
  return source;
}

const isSuccess = ({ operation }: Documented, status: number): boolean =>
  status < 300 && String(status) in operation.responses;

/** Runs each printed command of an operation; returns how the answers differ from its documented success. */
export async function problemsOfPrinted(documented: Documented, variables: ShellVariables): Promise<string[]> {
  const { method, template, operation } = documented;
  const problems: string[] = [];
  for (const { label } of operation['x-codeSamples']) {
    const source = await commandOf(documented, label, variables);
    const answer = await runCommand(source, variables, isStream(documented) ? 1 : 20);
    const problem = isStream(documented) ? undefined : answerProblem(method, template, answer);
    if (!isSuccess(documented, answer.status) || problem) {
      problems.push(`${source}\nanswered ${answer.status}: ${problem ?? JSON.stringify(answer.body)}`);
    }
  }
  return problems;
}

/** Texts that depend on what a test created; numbers are ids and revisions, and always do. */
const CREATED: ReadonlySet<string> = new Set([
  ...['commandId', 'fileId', 'entityType', 'entity', 'sourceKey', 'targetKey', 'token'],
  ...['username', 'password', 'currentPassword', 'newPassword', 'confirmPassword'],
]);

/** Returns the body of an example, with the ids and credentials of a request that the test prepared. */
function withCreated(example: Json, prepared: Json, name = ''): Json {
  if (Array.isArray(example)) {
    if (!Array.isArray(prepared)) return example;
    if (typeof example[0] !== 'object') return typeof prepared[0] === 'number' ? prepared : example;
    return example.map((each, index) => withCreated(each, prepared[index]));
  }
  if (typeof example === 'object' && example !== null) {
    return Object.fromEntries(
      Object.entries(example).map(([key, each]) => [key, withCreated(each, prepared?.[key], key)]),
    );
  }
  return typeof prepared === 'number' || (typeof prepared === 'string' && CREATED.has(name)) ? prepared : example;
}

/** Requests of the permission table that succeed for nobody, in a form that does. */
const SUCCESSFUL: Readonly<Record<string, (fixture: PermissionFixture) => Promise<PreparedRequest>>> = {
  'POST /api/reset-password': async ({ admin }) => {
    const { username } = await newUser(admin, 4);
    return { path: '/api/reset-password', body: { token: await requestResetToken(admin, `${username}@example.com`) } };
  },
};

/** Runs the example of a writing operation on what the permission table prepares for it. */
export async function problemOfWriting(
  documented: Documented,
  fixture: PermissionFixture,
): Promise<string | undefined> {
  const { method, template, operation } = documented;
  const isForKeys = operation.security.some((scheme) => 'bearer' in scheme);
  const caller: Caller = fixture.callers[isForKeys ? 'key-write' : 'admin'];
  const name = `${method} ${template.replace(/\{(\w+)\}/g, ':$1')}`;
  const build = SUCCESSFUL[name] ?? REQUESTS[name];
  if (!build) throw new Error(`No request is defined for ${name}`);
  const prepared = await build(fixture, caller);
  if (operationAt(method, prepared.path) !== operation) throw new Error(`${prepared.path} is not ${template}`);
  const example = operation.requestBody?.content['application/json']?.example;
  const body = withCreated(example, prepared.body);
  const answer = await sendAs(
    fixture.baseUrl,
    { ...caller, ...(prepared.cookie === undefined ? {} : { cookie: prepared.cookie }) },
    { method, path: prepared.path, body },
  );
  await prepared.after?.(answer);
  const isDone = isSuccess(documented, answer.status) && prepared.shows?.(answer.body) !== false;
  return isDone
    ? undefined
    : `${name} ${JSON.stringify(body)} answered ${answer.status}: ${JSON.stringify(answer.body)}`;
}
