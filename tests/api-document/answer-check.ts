/** Checks answers against the committed OpenAPI document: their status, headers, media type and body. */
import { readFileSync } from 'node:fs';
import type { ValueSource } from '@rdm/platform';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { JsonSchema } from './schemas.ts';

export interface Operation {
  operationId: string;
  /** By parameter or property of the body: the operation that returns an example value. */
  'x-example-values'?: Record<string, ValueSource>;
  'x-codeSamples': { label: string; source: string }[];
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  description?: string;
  parameters: ({
    name: string;
    in: string;
    description?: string;
    required?: boolean;
    schema: JsonSchema;
    example?: unknown;
  } & {
    $ref?: string;
  })[];
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema; example?: unknown }> };
  responses: Record<
    string,
    { $ref?: string; headers?: Record<string, JsonSchema>; content?: Record<string, { schema?: JsonSchema }> }
  >;
}

export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { responses: Record<string, Operation['responses'][string]>; schemas: Record<string, JsonSchema> };
}

const file = new URL('../../query-api/openapi.json', import.meta.url);
/** The path of the document for compiled tests, which are one folder deeper. */
const compiled = new URL('../../../query-api/openapi.json', import.meta.url);
export const apiDocument = JSON.parse(
  readFileSync(import.meta.url.includes('/dist/') ? compiled : file, 'utf8'),
) as ApiDocument;

interface Path {
  pattern: RegExp;
  template: string;
}

/**
 * Sorted by the number of parameters, so that `/api/crosswalks/suggestions-preview` is matched before
 * `/api/crosswalks/{id}`.
 */
const PATHS: readonly Path[] = Object.keys(apiDocument.paths)
  .map((template) => ({
    template,
    pattern: new RegExp(`^${template.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
  }))
  .sort((a, b) => a.template.split('{').length - b.template.split('{').length);

export function operationAt(method: string, path: string): Operation | undefined {
  const [plain = ''] = path.split('?');
  return PATHS.filter(({ pattern }) => pattern.test(plain))
    .map(({ template }) => apiDocument.paths[template]?.[method.toLowerCase()])
    .find((operation) => operation !== undefined);
}

/** Applies `change` to every object in a value, the innermost objects first. */
function mapSchemas(value: unknown, change: (schema: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((each) => mapSchemas(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return change(Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapSchemas(each, change)])));
}

/** Forbids unknown properties. The document allows them, so that later versions can add properties. */
const withoutUnknownProperties = (schema: JsonSchema): JsonSchema =>
  schema['type'] === 'object' && schema['properties'] !== undefined && schema['additionalProperties'] === undefined
    ? { ...schema, additionalProperties: false }
    : schema;

/** Makes all properties optional, because rows have only the requested fields if the parameter `fields` is set. */
const withoutRequired = ({ required, ...schema }: JsonSchema): JsonSchema =>
  Array.isArray(required) ? schema : { ...schema, ...(required === undefined ? {} : { required }) };

function createValidators(change: (schema: JsonSchema) => JsonSchema) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema({ components: mapSchemas(apiDocument.components, change) } as object, 'api');
  const validators = new Map<JsonSchema, ValidateFunction>();
  return (schema: JsonSchema): ValidateFunction => {
    const found = validators.get(schema);
    if (found) return found;
    const text = JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/');
    const validator = ajv.compile(JSON.parse(text));
    validators.set(schema, validator);
    return validator;
  };
}

const validatorOf = createValidators(withoutUnknownProperties);
const validatorOfPart = createValidators((schema) => withoutRequired(withoutUnknownProperties(schema)));

export interface CheckedAnswer {
  status: number;
  contentType: string | null;
  /** The body, parsed if it is JSON. */
  body: unknown;
  headers?: Headers;
}

/** Headers that the document must declare for each successful answer that has them. */
const DECLARED_HEADERS = ['X-Position', 'X-Behind', 'ETag'];

/** Returns how an answer differs from the document. An operation that the document lacks is not checked. */
export function answerProblem(method: string, path: string, answer: CheckedAnswer): string | undefined {
  const operation = operationAt(method, path);
  if (!operation) return undefined;
  const declared = operation.responses[String(answer.status)];
  const name = `${method} ${path} (${operation.operationId}) answered ${answer.status}`;
  const hint = 'If the route was changed, run `npm run openapi`.';
  if (declared === undefined) return `${name}, which is not documented: ${JSON.stringify(answer.body)}. ${hint}`;
  const response = declared.$ref
    ? apiDocument.components.responses[declared.$ref.split('/').at(-1) as string]
    : declared;
  const undeclared = DECLARED_HEADERS.filter((header) => answer.headers?.has(header) && !response?.headers?.[header]);
  if (answer.status < 300 && undeclared.length > 0)
    return `${name} with undocumented headers: ${undeclared.join(', ')}. ${hint}`;
  const content = response?.content;
  if (content === undefined) return undefined;
  const type = answer.contentType?.split(';')[0] ?? '';
  const media = content[type];
  if (media === undefined) return `${name} as ${type}; documented are ${Object.keys(content).join(', ')}`;
  if (media.schema === undefined) return undefined;
  const validate = (/[?&]fields=/.test(path) ? validatorOfPart : validatorOf)(media.schema);
  if (validate(answer.body)) return undefined;
  const problems = validate.errors?.map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
  return `${name} with another body: ${problems?.join('; ')}: ${JSON.stringify(answer.body)?.slice(0, 600)}. ${hint}`;
}

/** Throws if an answer differs from the document. An operation that the document lacks is not checked. */
export function requireDocumented(method: string, path: string, answer: CheckedAnswer): void {
  const problem = answerProblem(method, path, answer);
  if (problem !== undefined) throw new Error(problem);
}
