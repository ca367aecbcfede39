/** Builds the HTTP application of a service: routes requests, checks them, and converts errors to responses. */
import { randomUUID } from 'node:crypto';
import { type AccessState, holdsStorableText, Refusal, type RefusalBody, WORDS } from '@rdm/contracts';
import express, { type Express, type Request, type Response } from 'express';
import type { z } from 'zod';
import { authorise, confirm, type GateDependencies } from '../identity/gate.ts';
import { isFromBrowser } from '../identity/origin.ts';
import type { Principal } from '../identity/session.ts';
import { describeFailure, type ErrorLog } from '../service/error-log.ts';
import type { Log } from '../service/log.ts';
import type { Metrics } from '../service/metrics.ts';
import { InexactNumber, inexactNumber } from './exact-numbers.ts';
import { sendJson } from './json-answer.ts';
import { type ApiRequest, queryOf, type Route } from './route.ts';
import { routeTable } from './route-table.ts';
import { toRefusal } from './to-refusal.ts';

export interface HttpDependencies extends GateDependencies {
  log: Log;
  metrics: Metrics;
  /** Records responses with a status of at least 500; left out if no diagnostics page shows them. */
  errors?: Pick<ErrorLog, 'record'>;
  /** Returns the access state for a request that arrived at a time of `performance.now()`. */
  access: (arrivedAt: number) => Promise<AccessState>;
  /** Returns the parts for /health/ready: whether a part is ready, its problem, or the warning of a ready part. */
  ready: () => Promise<Record<string, boolean | string | { warning: string }>>;
}

/**
 * Builds the express app of a service. Callers who are not signed in get 401 for unknown paths, as for paths that need
 * a sign-in.
 */
export function createApp(routes: readonly Route[], deps: HttpDependencies): Express {
  const app = express();
  app.disable('x-powered-by');
  app.set('etag', 'weak');
  // Trust the forwarding headers of one proxy: the front door, on this machine or on the private network.
  app.set('trust proxy', 1);
  app.set('query parser', 'simple');

  const find = routeTable(
    routes.map((declared) => ({
      ...declared,
      readBody: bodyReader(declared.limit),
      parameters: Object.keys(queryOf(declared).shape),
    })),
  );
  app.use((req, res, next) => {
    const match = find(req.method, req.path);
    return match ? respond(match.route, match.params, req, res, deps) : next();
  });
  const respondUnknown = (req: Request, res: Response) => respond(UNKNOWN, {}, req, res, deps);
  // Express itself would answer OPTIONS with the methods of the paths below, also to callers who are not signed in.
  app.options('/{*path}', respondUnknown);
  app.get('/health/live', (_req, res) => {
    res.json({ status: 'live' });
  });
  app.get('/health/ready', async (_req, res) => {
    const parts = await deps.ready();
    const ready = Object.values(parts).every((part) => part === true || typeof part === 'object');
    res.status(ready ? 200 : 503).json({ status: ready ? 'ready' : 'starting', parts });
  });
  app.get('/metrics', async (_req, res) => {
    res.type(deps.metrics.registry.contentType).send(await deps.metrics.registry.metrics());
  });

  app.use(respondUnknown);
  // A path that cannot be decoded causes a URIError, which is an error of the caller.
  app.use((error: unknown, req: Request, res: Response, _next: () => void) => {
    const failure = error instanceof URIError ? new Refusal('INVALID', 'The path is not valid') : error;
    refuse(failure, req, res, { requestId: requestIdOf(req), path: '*', principal: undefined }, deps);
  });
  return app;
}

/** The route for paths without a declared route. */
const UNKNOWN: ServedRoute = {
  method: 'get',
  path: '*',
  access: { signedIn: true },
  body: undefined,
  query: undefined,
  limit: 0,
  confirmsSession: false,
  hasPast: false,
  document: { summary: '', answers: {} },
  readBody: async () => undefined,
  parameters: undefined,
  handle: ({ raw }) => Promise.reject(new Refusal('NOT_FOUND', `There is no ${raw.method} ${raw.path}`)),
};

const IDEMPOTENCY_KEY_MAX = 200;

/** Requests of a caller with the same key are one command; without a key, each request is its own command. */
function idempotencyKey(req: Request): string {
  const key = req.get('Idempotency-Key');
  if (key === undefined) return randomUUID();
  if (key.trim() !== '' && key.length <= IDEMPOTENCY_KEY_MAX) return key;
  throw new Refusal('INVALID', `An Idempotency-Key has between 1 and ${IDEMPOTENCY_KEY_MAX} characters`);
}

type ReadBody = (req: Request, res: Response) => Promise<void>;

/** A declared route with its body reader. If `parameters` is undefined, the query is not checked. */
type ServedRoute = Route & { readBody: ReadBody; parameters: readonly string[] | undefined };

/** Returns the reader of a JSON body. A `stream` route reads the body itself. */
function bodyReader(limit: Route['limit']): ReadBody {
  if (limit === 'stream') return async () => undefined;
  const parse = express.json({
    limit,
    strict: false,
    verify: (_req, _res, bytes) => {
      const number = inexactNumber(bytes);
      if (number !== undefined) throw new InexactNumber(number);
    },
  });
  return async (req, res) => {
    if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined) return;
    await new Promise<void>((resolve, reject) => {
      parse(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(bodyError(error))));
    });
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
    if (req.body === undefined && (encoding !== undefined || Number(length) > 0)) {
      throw new Refusal('UNSUPPORTED_MEDIA', 'Send the body as JSON, with Content-Type: application/json');
    }
    if (!holdsStorableText(req.body)) throw new Refusal('INVALID', WORDS.unstorableText);
  };
}

async function respond(
  declared: ServedRoute,
  params: Record<string, string>,
  req: Request,
  res: Response,
  deps: HttpDependencies,
): Promise<void> {
  const arrivedAt = performance.now();
  const requestId = requestIdOf(req);
  res.setHeader('X-Request-Id', requestId);
  const stop = deps.metrics.requests.startTimer({ method: req.method, route: declared.path });
  res.once('finish', () => stop({ status: res.statusCode }));
  let principal: Principal | undefined;
  try {
    const access = await deps.access(arrivedAt);
    principal = await authorise(declared, req, res, access, deps);
    // Read the body after authorisation, so that the body of a refused caller is never read into memory.
    await declared.readBody(req, res);
    const parseInput = (parse: z.ZodType | undefined, value: unknown) => (parse ? parse.parse(value) : value);
    const body = parseInput(declared.body, req.body);
    requireNoQueryIn(req.body, body, declared);
    const handled = await declared.handle({
      params,
      query: parseInput(declared.query, singleValues(req.query, declared)),
      body,
      principal,
      arrivedAt,
      access,
      needs: declared.access,
      requestId,
      correlationId: correlationIdOf(req) ?? requestId,
      sourceType: principal.apiKey || !isFromBrowser(req) ? 'API' : 'UI',
      idempotencyKey: idempotencyKey(req),
      ifMatch: ifMatch(req),
      minPosition: minPosition(req),
      ipAddress: req.ip ?? '',
      userAgent: (req.get('User-Agent') ?? '').slice(0, 500),
      raw: req,
      response: res,
    } as ApiRequest<never, never>);
    if (handled === 'sent') return;
    await confirm(principal, deps);
    res.statusCode = handled.status ?? 200;
    for (const [name, value] of Object.entries(handled.headers ?? {})) res.setHeader(name, value);
    if (handled.position !== undefined) res.setHeader('X-Position', String(handled.position));
    const json = handled.json ?? JSON.stringify(handled.body);
    if (json === undefined) res.end();
    else sendJson(req, res, json);
  } catch (error) {
    // After the end of the session, the user must not see any other error.
    const sessionRefusal = await confirm(principal, deps).then(
      () => undefined,
      (refusal: unknown) => refusal,
    );
    refuse(sessionRefusal ?? error, req, res, { requestId, path: declared.path, principal }, deps);
  }
}

const requestIdOf = (req: Request): string => {
  const header = req.get('X-Request-Id');
  return header && /^[\w-]{1,100}$/.test(header) ? header : randomUUID();
};

/** A parameter without an effect; clients add it to bypass caches (specification §7). */
const CACHE_BYPASS = '_t';

/**
 * Returns the query parameters. Refuses a repeated parameter, because a list is one value with commas. Refuses an
 * undeclared parameter, because a misspelt filter would return everything (docs/decisions/0021).
 */
function singleValues(
  query: Request['query'],
  { parameters: allowed, method, access }: ServedRoute,
): Record<string, string> {
  // A page that shows the past sends `asOf` with every read, also with public reads without a past.
  const isIgnored = (name: string) =>
    name === CACHE_BYPASS || (name === 'asOf' && method === 'get' && 'public' in access);
  for (const [name, value] of Object.entries(query)) {
    if (allowed && !isIgnored(name) && !allowed.includes(name)) {
      if (name === 'asOf') throw new Refusal('INVALID', WORDS.noPast);
      const suggestion = allowed.find((each) => each.toLowerCase() === name.toLowerCase());
      const allowedText = allowed.length === 0 ? 'this request takes none' : `this request takes ${allowed.join(', ')}`;
      throw new Refusal(
        'INVALID',
        `There is no parameter “${name}”: ${suggestion ? `write “${suggestion}”` : allowedText}`,
      );
    }
    if (typeof value !== 'string') throw new Refusal('INVALID', `“${name}” is given more than once`);
    if (!holdsStorableText(value)) throw new Refusal('INVALID', WORDS.unstorableText);
  }
  return query as Record<string, string>;
}

/** Refuses a query parameter in the body, which the schema of the body would drop silently (docs/decisions/0021). */
function requireNoQueryIn(sent: unknown, parsed: unknown, { parameters = [] }: ServedRoute): void {
  const isDropped = (name: string) => isObject(sent) && name in sent && !(isObject(parsed) && name in parsed);
  const misplaced = parameters.find(isDropped);
  if (misplaced === undefined) return;
  throw new Refusal('INVALID', `“${misplaced}” is a query parameter: write it in the address, as ?${misplaced}=…`);
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/**
 * Returns the correlation id; undefined if the header is missing or not in the form of an id. Events are permanent, so
 * the header must not contain free text with personal data.
 */
const correlationIdOf = (req: Request): string | undefined => {
  const header = req.get('X-Correlation-Id');
  return header && /^[\w.:-]{1,100}$/.test(header) ? header : undefined;
};

function ifMatch(req: Request): number | undefined {
  const header = req.get('If-Match');
  if (header === undefined || header === '*') return undefined;
  const revision = /^(?:W\/)?(?:"(\d{1,15})"|(\d{1,15}))$/.exec(header);
  if (!revision) throw new Refusal('INVALID', 'If-Match must be a revision, such as "3"');
  return Number(revision[1] ?? revision[2]);
}

function minPosition(req: Request): bigint | undefined {
  const header = req.get('X-Min-Position');
  if (header === undefined) return undefined;
  if (!/^\d{1,20}$/.test(header)) throw new Refusal('INVALID', 'X-Min-Position is not a position');
  return BigInt(header);
}

function bodyError(error: unknown): unknown {
  if (error instanceof InexactNumber) return new Refusal('INVALID', error.message);
  const thrown = (typeof error === 'object' && error !== null ? error : {}) as { type?: unknown; status?: unknown };
  const type = String(thrown.type);
  if (type === 'entity.too.large') return new Refusal('TOO_LARGE', 'The request is too large');
  if (type === 'entity.parse.failed') return new Refusal('INVALID', 'The request is not valid JSON');
  if (type === 'encoding.unsupported' || type === 'charset.unsupported') {
    return new Refusal('UNSUPPORTED_MEDIA', 'The request has an encoding that is not supported');
  }
  if (type === 'request.aborted') return new Refusal('INVALID', 'The request ended early');
  // Other errors of the body parser, such as wrong encodings and sizes, are errors of the caller too.
  return thrown.status === 400 ? new Refusal('INVALID', 'The request could not be read') : error;
}

/** The scheme of API keys. For `Basic`, browsers would open a password dialog. */
export const AUTHENTICATE = 'Bearer realm="Reference data management"';

/** Answers with an error, without its stack trace or SQL. */
function refuse(
  error: unknown,
  req: Request,
  res: Response,
  { requestId, path, principal }: { requestId: string; path: string; principal: Principal | undefined },
  { log, errors }: Pick<HttpDependencies, 'log' | 'errors'>,
): void {
  const refusal = toRefusal(error);
  const failure = describeFailure(error, refusal);
  if (failure) {
    errors?.record({
      kind: 'REQUEST',
      route: `${req.method} ${path}`,
      correlationId: correlationIdOf(req) ?? requestId,
      // 0 means that there is no user, as on public routes and routes for services.
      actorId: principal?.userId || null,
      ...failure,
    });
  }
  if (refusal === undefined) log.error({ err: error, requestId }, 'A request failed');
  if (res.headersSent) {
    res.destroy();
    return;
  }
  if (refusal?.retryAfter !== undefined) res.setHeader('Retry-After', String(refusal.retryAfter));
  if (refusal?.status === 401) res.setHeader('WWW-Authenticate', AUTHENTICATE);
  if (refusal?.position !== undefined) res.setHeader('X-Position', refusal.position);
  const body: RefusalBody = refusal
    ? { error: refusal.message, code: refusal.code, details: refusal.details, requestId }
    : { error: 'Something went wrong on our side. Please try again.', code: 'INTERNAL', requestId };
  res.statusCode = refusal?.status ?? 500;
  sendJson(req, res, JSON.stringify(body));
}
