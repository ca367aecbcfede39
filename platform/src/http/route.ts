/** Declares routes: their access, input and answers. */
import { type AccessState, AsOf, Refusal, type SourceType } from '@rdm/contracts';
import type { Request, Response } from 'express';
import { z } from 'zod';
import type { Principal } from '../identity/session.ts';
import type { RouteAccess } from './route-access.ts';
import type { RouteDocument } from './route-document.ts';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface ApiRequest<Body = unknown, Query = Record<string, string | undefined>> {
  params: Record<string, string>;
  query: Query;
  body: Body;
  /** The principal. On public routes and routes for services, its user id is 0. */
  principal: Principal;
  /** When the request arrived, in the time of `performance.now()`. */
  arrivedAt: number;
  /** The access state, read after the request arrived. */
  access: AccessState;
  /** The access that the route declares. Handlers and commands check its level. */
  needs: RouteAccess;
  requestId: string;
  correlationId: string;
  sourceType: SourceType;
  /** The `Idempotency-Key` of the caller, or a new key if the caller sent none. */
  idempotencyKey: string;
  /** The revision in `If-Match`, if any. */
  ifMatch: number | undefined;
  /** The position in `X-Min-Position`, if any. */
  minPosition: bigint | undefined;
  ipAddress: string;
  userAgent: string;
  raw: Request;
  response: Response;
}

export interface ApiAnswer {
  status?: number;
  /** Serialised as JSON. */
  body?: unknown;
  /** A body that is JSON already. */
  json?: string;
  position?: bigint | string | undefined;
  headers?: Record<string, string>;
}

/** The answer, or `sent` if the handler has written the response itself, such as a download or an event stream. */
export type HandlerResult = ApiAnswer | 'sent';

export interface Route {
  method: Method;
  path: string;
  access: RouteAccess;
  handle: (request: ApiRequest<never, never>) => Promise<HandlerResult>;
  body: z.ZodType | undefined;
  query: z.ZodType | undefined;
  /** The maximum number of bytes of the body. A `stream` route reads the request itself. */
  limit: number | 'stream';
  /**
   * Whether the handler checks in the database, in the snapshot of its answer, that the session is still valid. The
   * session of the request may then come from memory. Such a handler only reads, and does not send the response itself.
   */
  confirmsSession: boolean;
  /** Whether the route can answer for a moment of the past, by the query parameter `asOf`. */
  hasPast: boolean;
  document: RouteDocument;
}

interface RouteOptions<Body, Query> extends RouteDocument {
  body?: Body;
  query?: Query;
  limit?: number | 'stream';
  confirmsSession?: boolean;
  hasPast?: boolean;
}

const DEFAULT_BODY_BYTES = 1024 * 1024;

/** Declares one route. The schemas validate the input of the handler and determine the input's types. */
export function route<Body extends z.ZodType = z.ZodUnknown, Query extends z.ZodType = z.ZodUnknown>(
  method: Method,
  path: string,
  access: RouteAccess,
  { body, query, limit, confirmsSession, hasPast, ...document }: RouteOptions<Body, Query>,
  handle: (
    request: ApiRequest<
      z.infer<Body>,
      unknown extends z.infer<Query> ? Record<string, string | undefined> : z.infer<Query>
    >,
  ) => Promise<HandlerResult>,
): Route {
  return {
    method,
    path,
    access,
    handle: handle as Route['handle'],
    body,
    query,
    limit: limit ?? DEFAULT_BODY_BYTES,
    confirmsSession: confirmsSession ?? false,
    hasPast: hasPast ?? !('public' in access),
    document,
  };
}

/** Returns the id in a path. Throws NOT_FOUND for an id that is not a positive whole number. */
export function idParam(request: { params: Record<string, string> }, name = 'id'): number {
  const text = request.params[name] ?? '';
  const id = /^[1-9]\d*$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new Refusal('NOT_FOUND', 'Not found');
  return id;
}

/** The query parameters of a route. A read that declares none accepts `asOf`. A route without a past omits `asOf`. */
export function queryOf({ method, query, hasPast }: Pick<Route, 'method' | 'query' | 'hasPast'>): z.ZodObject {
  const declared = query ?? z.object(method === 'get' ? { asOf: AsOf } : {});
  if (!(declared instanceof z.ZodObject)) throw new Error('A route declares its query parameters as an object');
  return hasPast || !('asOf' in declared.shape) ? declared : declared.omit({ asOf: true });
}
