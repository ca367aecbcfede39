/** Composes the product's OpenAPI document from the route declarations of both services. */
import { maySendAgain, RefusalBody, type RefusalCode } from '@rdm/contracts';
import { type AnswerBody, queryOf, type Route } from '@rdm/platform';
import { z } from 'zod';
import { type DeclaredRoutes, SSO_NAME } from './declared-routes.ts';
import { acceptsApiKeys, byStatus, errorsOf } from './errors.ts';
import { type ExampleParts, withExamples } from './examples.ts';
import { AnswerSchemas, inputSchema, type JsonSchema } from './schemas.ts';

const DESCRIPTION = `All operations have the same origin, the address of the product. A system sends an API key, as
\`Authorization: Bearer <key>\` or \`X-API-Key\`. A browser sends its session cookie, and with every write the \`Origin\` of the
product. Each operation lists the credentials that it accepts. Later versions may add properties to answers: ignore unknown
properties. If an answer has an \`ETag\`, a request with this value in \`If-None-Match\` gets 304 without a body until the answer
changes. Each answer to a request with an API key has three headers: \`X-RateLimit-Limit\` is the number of requests that the key may
send per minute, \`X-RateLimit-Remaining\` is the number of requests that it may send now, and \`X-RateLimit-Reset\` is the number
of seconds until it may send one more request. With \`fields\`, an item of a list has only these fields and the fields that identify
the item, although its schema requires other fields too.`;

const STATUS_DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'Success',
  201: 'Created',
  202: 'A job was started',
  204: 'Done; the answer has no body',
  206: 'The requested part of the file',
};

const TAG_SPELLINGS: Readonly<Record<string, string>> = { 'api-keys': 'API keys' };
const TAGS_OF_SEGMENTS: Readonly<Record<string, string>> = {
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
  const name = TAGS_OF_SEGMENTS[segment] ?? segment;
  const words = name.replaceAll('-', ' ');
  return TAG_SPELLINGS[name] ?? words.replace(/^api /, 'API ').replace(/^./, (first) => first.toUpperCase());
}

/** Returns the template of a path. In the path of single sign-on, the name of the provider becomes a parameter. */
export const templateOf = (path: string): string =>
  path.replace(`/api/${SSO_NAME}-login`, '/api/{provider}-login').replace(/:(\w+)/g, '{$1}');

function operationIdOf({ method, path }: Route): string {
  const words = path.replace('/api/', '').split(/[/.-]/);
  const capital = (word: string) => word.replace(/^:?(.)/, (_, first: string) => first.toUpperCase());
  return method + words.map((word) => (word.startsWith(':') ? `By${capital(word)}` : capital(word))).join('');
}

/** The paths of commands that change several rows. They have no If-Match, because the body has the revision of each row. */
const PATHS_OF_ROWS = /\/(instances|mappings|values)$/;

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
      'The expected revision, such as "3". It is the `revision` of the item, not its `ETag`. If the item has another revision, the request is refused with 412.',
    schema: { type: 'string', pattern: '^(\\*|(W/)?"?\\d{1,15}"?)$' },
  },
  MinPosition: {
    name: 'X-Min-Position',
    in: 'header',
    description:
      'The position of a change that the answer should include. If the server has not applied this change after half a second, the answer has the header `X-Behind: true`. If a single item is not found in this case, the request is refused with 503.',
    schema: { type: 'string', pattern: '^\\d{1,20}$' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'The `id` of the last event that the client received. Libraries for server-sent events send this header when they reconnect. It takes precedence over `after`.',
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
      'The position of the change, or of the data in the answer. Later reads can send it as `X-Min-Position`.',
    schema: { type: 'string', pattern: '^\\d{1,20}$' },
  },
  Behind: {
    description: 'Sent if the answer does not include the change at `X-Min-Position` yet.',
    schema: { type: 'string', enum: ['true'] },
  },
  Next: {
    description: 'The value of `after` for the next page.',
    required: true,
    schema: { type: 'string' },
  },
  ETag: {
    description: 'A request with this value in `If-None-Match` gets 304 without a body until the answer changes.',
    schema: { type: 'string' },
  },
};

/** Whether an answer has an `ETag`: the JSON answers of all reads have one. */
const hasETag = ({ method }: Route, answer: AnswerBody | undefined): boolean =>
  method === 'get' && answer instanceof z.ZodType;

/** Returns the headers of a successful answer. */
function responseHeadersOf(route: Route, answer: AnswerBody, isCommand: boolean): JsonSchema {
  const { path, access } = route;
  const components: Readonly<Record<string, [component: string, isSent: boolean]>> = {
    'X-Position': ['Position', isCommand || !('public' in access)],
    'X-Behind': ['Behind', !isCommand && !('public' in access)],
    'X-Next': ['Next', path === '/api/changes'],
    ETag: ['ETag', hasETag(route, answer)],
  };
  const headers = Object.entries(components).flatMap(([name, [component, isSent]]) =>
    isSent ? [[name, { $ref: `#/components/headers/${component}` }]] : [],
  );
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
}

/** Returns the schema of a path parameter. Ids are integers, except the ids of commands, staged files and import drafts. */
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
    ...(isCommand && path.includes('/:') && method !== 'post' && !PATHS_OF_ROWS.test(path) ? [header('IfMatch')] : []),
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

/** Collects the responses that several operations share, so that the document contains each of them once. */
class SharedResponses {
  readonly responses: Record<string, JsonSchema> = {};
  readonly #schema: JsonSchema;

  constructor(schema: JsonSchema) {
    this.#schema = schema;
  }

  addUnchanged(): JsonSchema {
    this.responses['304'] = {
      description: 'The answer still has the ETag in If-None-Match; it is sent without a body',
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
      description: STATUS_DESCRIPTIONS[Number(status)],
      ...responseHeadersOf(route, answer, isCommand),
      ...contentOf(answer, (schema) => schemas.add(`${operationIdOf(route)}Answer${status}`, schema)),
    },
  ]);
  const unchanged = hasETag(route, route.document.answers[200]) ? { 304: shared.addUnchanged() } : {};
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
