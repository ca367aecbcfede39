/** Composes the OpenAPI document of the product from the declarations of the routes of both services. */
import { maySendAgain, RefusalBody, type RefusalCode } from '@rdm/contracts';
import { type AnswerBody, queryOf, type Route } from '@rdm/platform';
import { z } from 'zod';
import { type DeclaredRoutes, SSO_NAME } from './declared-routes.ts';
import { acceptsApiKeys, byStatus, errorsOf } from './errors.ts';
import { type ExampleParts, withExamples } from './examples.ts';
import { AnswerSchemas, inputSchema, type JsonSchema } from './schemas.ts';

const DESCRIPTION = `All calls have one origin. A system sends an API key, as \`Authorization: Bearer <key>\` or \`X-API-Key\`; a browser
sends its session cookie, and with every write an \`Origin\` of the product. Each operation names which of the two it accepts.
Answers may gain properties; ignore those that you do not know. An answer with an \`ETag\` becomes 304 without a body while the
\`If-None-Match\` of the request has this tag. Each answer to an API key has \`X-RateLimit-Limit\`, the requests of the key a
minute, \`X-RateLimit-Remaining\`, the requests that it may send now, and \`X-RateLimit-Reset\`, the seconds until it may send one
more. With \`fields\`, an item of a list has only these fields and those that identify it, although its schema requires others.`;

const WORDS_OF_STATUS: Readonly<Record<number, string>> = {
  200: 'The answer',
  201: 'Created',
  202: 'A job was started',
  204: 'Done; the answer has no body',
  206: 'The requested part of the file',
};

const CAPITALS: Readonly<Record<string, string>> = { 'api-keys': 'API keys' };
const FROM_SEGMENT: Readonly<Record<string, string>> = {
  crosswalk: 'crosswalks',
  login: 'sign-in',
  logout: 'sign-in',
  register: 'sign-in',
  auth: 'sign-in',
  session: 'sign-in',
  'change-password': 'sign-in',
  'reset-password': 'sign-in',
  user: 'users',
  'openapi.json': 'api-documents',
  'asyncapi.json': 'api-documents',
};

function tagOf(path: string): string {
  const [, , segment = ''] = path.split('/');
  const name = FROM_SEGMENT[segment] ?? segment;
  const words = name.replaceAll('-', ' ');
  return CAPITALS[name] ?? words.replace(/^api /, 'API ').replace(/^./, (first) => first.toUpperCase());
}

/** Returns the template of a path. In the sign-in through a provider, the name of the provider becomes a parameter. */
export const templateOf = (path: string): string =>
  path.replace(`/api/${SSO_NAME}-login`, '/api/{provider}-login').replace(/:(\w+)/g, '{$1}');

function operationIdOf({ method, path }: Route): string {
  const words = path.replace('/api/', '').split(/[/.-]/);
  const capital = (word: string) => word.replace(/^:?(.)/, (_, first: string) => first.toUpperCase());
  return method + words.map((word) => (word.startsWith(':') ? `By${capital(word)}` : capital(word))).join('');
}

/** Paths of commands that change several rows: the body has the revision of each row. */
const ROWS = /\/(instances|mappings|values)$/;

const HEADERS: Readonly<Record<string, JsonSchema>> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Requests with the same key are one command: a repeated request gets the first answer.',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The expected revision, such as "3": the `revision` of the item, not its `ETag`. With another revision, the answer is 412.',
    schema: { type: 'string', pattern: '^(\\*|(W/)?"?\\d{1,15}"?)$' },
  },
  MinPosition: {
    name: 'X-Min-Position',
    in: 'header',
    description:
      'The position of a change that the answer should include. If it does not include it after half a second, it is sent with the header `X-Behind: true`; a single item that is not found is refused with 503 then.',
    schema: { type: 'string', pattern: '^\\d{1,20}$' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The `id` of the last event that the reader received; libraries for server-sent events send it when they connect again. It takes precedence over `after`.',
    schema: { type: 'string' },
  },
};

const RESPONSE_HEADERS: Readonly<Record<string, JsonSchema>> = {
  RetryAfter: {
    description: 'The seconds to wait before the request is sent again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  Authenticate: {
    description: 'The scheme of API keys, `Bearer`.',
    required: true,
    schema: { type: 'string' },
  },
  Position: {
    description:
      'The position of the change, or of the data that the answer contains, for `X-Min-Position` of later reads.',
    schema: { type: 'string', pattern: '^\\d{1,20}$' },
  },
  Behind: {
    description: 'Sent if the answer does not include the position of `X-Min-Position` yet.',
    schema: { type: 'string', enum: ['true'] },
  },
  Next: {
    description: 'The `after` of the next page.',
    required: true,
    schema: { type: 'string' },
  },
  ETag: {
    description: 'Sent back as `If-None-Match`, it gets the answer 304 without a body while the answer is the same.',
    schema: { type: 'string' },
  },
};

/** Whether an answer has an `ETag`, as the JSON of every read has. */
const hasTag = ({ method }: Route, answer: AnswerBody | undefined): boolean =>
  method === 'get' && answer instanceof z.ZodType;

/** The headers of an answer that is no refusal. */
function responseHeadersOf(route: Route, answer: AnswerBody, isCommand: boolean): JsonSchema {
  const { path, access } = route;
  const sent: Readonly<Record<string, [component: string, isSent: boolean]>> = {
    'X-Position': ['Position', isCommand || !('public' in access)],
    'X-Behind': ['Behind', !isCommand && !('public' in access)],
    'X-Next': ['Next', path === '/api/changes'],
    ETag: ['ETag', hasTag(route, answer)],
  };
  const headers = Object.entries(sent).flatMap(([name, [component, isSent]]) =>
    isSent ? [[name, { $ref: `#/components/headers/${component}` }]] : [],
  );
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
}

/**
 * Returns the schema of a path parameter. Ids are whole numbers, except the ids of commands, and of staged files and
 * drafts of imports.
 */
function pathParameterOf({ path }: Route, name: string): { schema: JsonSchema; example: string | number } {
  if (name === 'provider')
    return { schema: { type: 'string', description: 'The configured provider.' }, example: 'okta' };
  const isUuid = name === 'commandId' || (name === 'id' && /^\/api\/imports\/:id(?!\/errors)/.test(path));
  return isUuid
    ? { schema: { type: 'string', format: 'uuid' }, example: '00000000-0000-4000-8000-000000000000' }
    : { schema: { type: 'integer', minimum: 1 }, example: 1 };
}

function parametersOf(route: Route, isCommand: boolean): ExampleParts['parameters'] {
  const { method, path, document } = route;
  const { params = {}, query: queryExample = {} } = document.example ?? {};
  const inPath = [...templateOf(path).matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { schema, example } = pathParameterOf(route, name);
    return { name, in: 'path', required: true, schema, example: params[name] ?? example };
  });
  const schema = inputSchema(queryOf(route));
  const required = (schema['required'] ?? []) as string[];
  const inQuery = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>).map(
    ([name, { description, ...property }]) => ({
      name,
      in: 'query',
      ...(required.includes(name) ? { required: true } : {}),
      ...(description === undefined ? {} : { description }),
      schema: property,
      ...(queryExample[name] === undefined ? {} : { example: queryExample[name] }),
    }),
  );
  const { 200: answer } = document.answers;
  const resumes = Array.isArray(answer) && answer.includes('text/event-stream') && 'after' in queryOf(route).shape;
  const header = (name: string) => ({ $ref: `#/components/parameters/${name}` });
  const isPublic = 'public' in route.access;
  const headers = [
    ...(isCommand && !isPublic ? [header('IdempotencyKey')] : []),
    ...(isCommand && path.includes('/:') && method !== 'post' && !ROWS.test(path) ? [header('IfMatch')] : []),
    ...(isCommand || isPublic ? [] : [header('MinPosition')]),
    ...(resumes ? [header('LastEventId')] : []),
  ];
  return [...inPath, ...inQuery, ...headers];
}

function requestBodyOf({ body, document }: Route): Pick<ExampleParts, 'requestBody'> {
  const { consumes, example } = document;
  if (consumes !== undefined) {
    const content = Object.fromEntries(
      Object.entries(consumes).map(([type, schema], index) => [
        type,
        { schema: inputSchema(schema), ...(index > 0 || example === undefined ? {} : { example: example.body }) },
      ]),
    );
    return { requestBody: { required: true, content } };
  }
  if (body === undefined) return {};
  const media = { schema: inputSchema(body), ...(example?.body === undefined ? {} : { example: example.body }) };
  const required = !body.safeParse(undefined).success;
  return { requestBody: { ...(required ? { required } : {}), content: { 'application/json': media } } };
}

function contentOf(answer: AnswerBody, schema: (answer: z.ZodType) => JsonSchema): JsonSchema {
  if (answer === null) return {};
  if (answer instanceof z.ZodType) return { content: { 'application/json': { schema: schema(answer) } } };
  return { content: Object.fromEntries(answer.map((type) => [type, {}])) };
}

/** Collects answers that several operations share, so that each is written once. */
class SharedResponses {
  readonly responses: Record<string, JsonSchema> = {};
  readonly #schema: JsonSchema;

  constructor(schema: JsonSchema) {
    this.#schema = schema;
  }

  addUnchanged(): JsonSchema {
    this.responses['304'] = {
      description: 'Unchanged since the ETag in If-None-Match; the answer has no body',
      headers: { ETag: { $ref: '#/components/headers/ETag' } },
    };
    return { $ref: '#/components/responses/304' };
  }

  addRefusal(status: number, codes: readonly (RefusalCode | 'INTERNAL')[]): JsonSchema {
    const name = `${status}-${codes.join('.')}`;
    const schema = { ...this.#schema, properties: { code: { enum: codes } } };
    const description = codes.map((code) => `\`${code}\``).join(', ');
    const header = maySendAgain(status)
      ? { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } }
      : { 'WWW-Authenticate': { $ref: '#/components/headers/Authenticate' } };
    const headers = maySendAgain(status) || status === 401 ? { headers: header } : {};
    this.responses[name] = { description, ...headers, content: { 'application/json': { schema } } };
    return { $ref: `#/components/responses/${name}` };
  }
}

function responsesOf(route: Route, isCommand: boolean, schemas: AnswerSchemas, shared: SharedResponses): JsonSchema {
  const answers = Object.entries(route.document.answers).map(([status, answer]) => [
    status,
    {
      description: WORDS_OF_STATUS[Number(status)],
      ...responseHeadersOf(route, answer, isCommand),
      ...contentOf(answer, (schema) => schemas.add(`${operationIdOf(route)}Answer${status}`, schema)),
    },
  ]);
  const unchanged = hasTag(route, route.document.answers[200]) ? { 304: shared.addUnchanged() } : {};
  const failures = { 500: shared.addRefusal(500, ['INTERNAL']) };
  const errors = [...byStatus(errorsOf(route, isCommand))].map(([status, codes]) => [
    status,
    shared.addRefusal(status, codes),
  ]);
  return { ...Object.fromEntries([...answers, ...errors]), ...unchanged, ...failures };
}

function securityOf({ access }: Route): JsonSchema[] {
  if ('public' in access) return [];
  return acceptsApiKeys(access) ? [{ bearer: [] }, { apiKey: [] }, { session: [] }] : [{ session: [] }];
}

const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' },
  session: { type: 'apiKey', in: 'cookie', name: 'session', description: 'The session of a user who signed in.' },
};

export function openApiOf({ commandApi, queryApi }: DeclaredRoutes): JsonSchema {
  const schemas = new AnswerSchemas();
  const shared = new SharedResponses(schemas.add('RefusalBody', RefusalBody));
  const paths: Record<string, Record<string, JsonSchema>> = {};
  const tags = new Set<string>();
  for (const route of [...queryApi, ...commandApi].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
    if ('service' in route.access) continue;
    const isCommand = commandApi.includes(route);
    const tag = tagOf(route.path);
    tags.add(tag);
    paths[templateOf(route.path)] = {
      ...paths[templateOf(route.path)],
      [route.method]: {
        operationId: operationIdOf(route),
        tags: [tag],
        summary: route.document.summary,
        ...withExamples(route, templateOf(route.path), {
          security: securityOf(route),
          parameters: parametersOf(route, isCommand),
          ...requestBodyOf(route),
        }),
        responses: responsesOf(route, isCommand, schemas, shared),
      },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Reference data management', version: '1', description: DESCRIPTION },
    servers: [{ url: '/' }],
    tags: [...tags].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: SECURITY_SCHEMES,
      parameters: HEADERS,
      headers: RESPONSE_HEADERS,
      responses: shared.responses,
      schemas: schemas.components(),
    },
  };
}
