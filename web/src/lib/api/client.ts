/**
 * The HTTP client, with the rules of specification §7 and §8: credentials, sharing of concurrent GETs, cached bodies
 * after a 304, the CSRF retry, one retry with the same Idempotency-Key, and read-your-own-writes.
 */

import { DOWNLOAD_CHECK } from '@rdm/contracts/live/downloads';
import {
  AUTHENTICATION_FAILED,
  isHtml,
  preview,
  responseMessage,
  SESSION_EXPIRED,
  shownMessage,
  UNREACHABLE,
} from '../messages/index.ts';
import { ApiError, type ApiErrorCode, mayRetry } from './error.ts';
import { minPosition, noteResponsePosition, requirePosition } from './freshness.ts';
import { isReadOnlyNow, momentOfRead, PAST_IS_READ_ONLY, withReadLevel } from './moment.ts';
import { clearSession } from './session.ts';

export type QueryValue = string | number | boolean | undefined | null;

export interface ReadOptions {
  query?: Record<string, QueryValue>;
  /** Adds the parameter `_t`, so that the response comes from no cache. */
  fresh?: boolean;
  signal?: AbortSignal;
}

export interface WriteOptions {
  query?: Record<string, QueryValue>;
  /** The expected revision, which is sent as If-Match. */
  revision?: number;
  /** Set if several calls belong to one command. Otherwise each call gets its own key. */
  idempotencyKey?: string;
  headers?: Record<string, string>;
}

export type WriteMethod = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The properties that command responses can contain in addition to their own result. */
export interface Written {
  position?: string;
  revision?: number;
}

interface Answer {
  status: number;
  statusText: string;
  headers: Headers;
  raw: string;
}

const RETRY_DELAY_MS = 1_000;
const CACHED_BODIES_MAX = 100;

interface SharedRequest {
  request: Promise<unknown>;
  /** The number of callers that wait for the request. When the last caller aborts, the request is aborted. */
  callers: number;
  controller: AbortController;
}

const inFlight = new Map<string, SharedRequest>();
const bodies = new Map<string, { etag: string; body: unknown }>();

export function urlOf(path: string, query: Record<string, QueryValue> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') search.set(name, String(value));
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}

/** Reads a resource. Identical concurrent reads share one request. */
export function read<T>(path: string, options: ReadOptions = {}): Promise<T> {
  const asOf = momentOfRead(path);
  const query = asOf === undefined ? options.query : { ...options.query, asOf };
  const url = urlOf(path, options.fresh ? { ...query, _t: Date.now() } : query);
  const requiredPosition = minPosition();
  const key = `${requiredPosition ?? ''} ${url}`;
  const shared = inFlight.get(key) ?? startRead(key, url, requiredPosition);
  shared.callers += 1;
  const sharedAnswer = shared.request as Promise<T>;
  const request = asOf === undefined ? sharedAnswer : sharedAnswer.then(withReadLevel);
  if (options.signal === undefined) return request;
  return withAbort(request, options.signal, () => {
    shared.callers -= 1;
    if (shared.callers > 0) return;
    if (inFlight.get(key) === shared) inFlight.delete(key);
    shared.controller.abort();
  });
}

function startRead(key: string, url: string, requiredPosition: string | undefined): SharedRequest {
  const controller = new AbortController();
  const shared: SharedRequest = {
    controller,
    callers: 0,
    request: sendRead(url, requiredPosition, controller.signal).finally(() => {
      if (inFlight.get(key) === shared) inFlight.delete(key);
    }),
  };
  inFlight.set(key, shared);
  return shared;
}

/** Makes new reads send their own requests: a request in progress may return data from before a change. */
export const stopSharingReads = (): void => inFlight.clear();

/** Rejects for this caller when its signal aborts. The request continues for the other callers that share it. */
function withAbort<T>(request: Promise<T>, signal: AbortSignal, onAbort: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      onAbort();
    };
    signal.addEventListener('abort', abort, { once: true });
    request.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  });
}

async function sendRead<T>(url: string, requiredPosition: string | undefined, signal: AbortSignal): Promise<T> {
  const headers = new Headers({ Accept: 'application/json' });
  if (requiredPosition !== undefined) headers.set('X-Min-Position', requiredPosition);
  const cached = bodies.get(url);
  if (cached !== undefined) headers.set('If-None-Match', cached.etag);

  let answer = await send(url, { method: 'GET', headers, signal });
  if (answer.status === 304) {
    if (cached !== undefined) return cached.body as T;
    answer = await send(url, { method: 'GET', headers, signal, cache: 'reload' });
  }
  if (answer.status >= 400) throw failure(answer);
  const position = answer.headers.get('X-Position');
  if (requiredPosition !== undefined && position !== null) noteResponsePosition(requiredPosition, position);
  const body = parseBody(answer);
  cacheBody(url, answer.headers.get('ETag'), body);
  return body as T;
}

function cacheBody(url: string, etag: string | null, body: unknown): void {
  bodies.delete(url);
  if (etag === null) return;
  bodies.set(url, { etag, body });
  const oldest = bodies.keys().next();
  if (bodies.size > CACHED_BODIES_MAX && !oldest.done) bodies.delete(oldest.value);
}

/**
 * Sends a command. Retries once with the same key after a lost response or a server error. A refused command is sent
 * again only if the CSRF check refused it.
 */
export async function write<T = Written>(
  method: WriteMethod,
  path: string,
  body?: unknown,
  options: WriteOptions = {},
): Promise<T> {
  if (isReadOnlyNow(path)) throw localError(PAST_IS_READ_ONLY, { status: 400, code: 'INVALID' });
  const headers = new Headers({
    Accept: 'application/json',
    'Idempotency-Key': options.idempotencyKey ?? newKey(),
    ...options.headers,
  });
  if (options.revision !== undefined) headers.set('If-Match', `"${options.revision}"`);
  const init: RequestInit = { method, headers };
  if (body instanceof FormData || body instanceof Blob) init.body = body;
  else if (body !== undefined) {
    headers.set('Content-Type', 'application/json');
    init.body = JSON.stringify(body);
  }
  const url = urlOf(path, options.query);

  let answer: Answer;
  try {
    answer = await writeOnce(url, init);
  } catch (error) {
    if (!mayRetry(error)) throw error;
    await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    answer = await writeOnce(url, init);
  }
  const result = parseBody(answer);
  const position = answer.headers.get('X-Position') ?? positionOf(result);
  if (position !== undefined) requirePosition(position);
  return result as T;
}

async function writeOnce(url: string, init: RequestInit): Promise<Answer> {
  let answer = await send(url, init);
  if (isCsrfRefusal(answer)) {
    // A proxy may have removed Origin and Referer, which a page cannot set.
    const headers = new Headers(init.headers);
    headers.set('X-Origin', window.location.origin);
    headers.set('X-Referer', window.location.href);
    answer = await send(url, { ...init, headers });
  }
  if (answer.status >= 400) {
    // Another user's change may be the reason for the refusal, so the next read must include that change.
    const position = answer.headers.get('X-Position');
    if (position !== null) requirePosition(position);
    throw failure(answer);
  }
  return answer;
}

/**
 * Sends a POST with an API key instead of the session cookie, as another system would. A 401 concerns the key and does
 * not end the session.
 */
export async function postWithKey<T>(
  apiKey: string,
  path: string,
  body: unknown,
  query?: Record<string, QueryValue>,
): Promise<T> {
  const answer = await send(urlOf(path, query), {
    method: 'POST',
    headers: { Accept: 'application/json', 'Content-Type': 'application/json', Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify(body),
    credentials: 'omit',
  });
  if (answer.status >= 400) throw errorOf(answer);
  return parseBody(answer) as T;
}

const isCsrfRefusal = (answer: Answer): boolean =>
  (answer.status === 401 || answer.status === 403) && /csrf/i.test(answer.raw);

async function send(url: string, init: RequestInit): Promise<Answer> {
  try {
    const response = await fetch(url, { credentials: 'include', referrerPolicy: 'same-origin', ...init });
    return {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
      raw: await response.text(),
    };
  } catch {
    throw unreachableError();
  }
}

/** An error without a response: the request was not sent (400), or got no response (0). */
const localError = (message: string, { status, code }: { status: 0 | 400; code: ApiErrorCode }): ApiError =>
  new ApiError(message, {
    status,
    statusText: '',
    code,
    details: undefined,
    requestId: undefined,
    retryAfter: undefined,
    serverMessage: message,
    raw: '',
  });

export const unreachableError = (): ApiError => localError(UNREACHABLE, { status: 0, code: 'NETWORK' });

/** Throws the usual `ApiError` if the server would refuse to send the file. Does not download the file. */
export async function requireFile(url: string): Promise<void> {
  const answer = await send(url, { method: 'GET', headers: { [DOWNLOAD_CHECK]: 'true' } });
  if (answer.status >= 400) throw failure(answer);
}

/** Downloads a whole file into memory. Throws the usual `ApiError` if the server refuses the download. */
export async function readFile(url: string): Promise<{ name: string; content: Blob }> {
  const response = await fetch(url, { credentials: 'include', referrerPolicy: 'same-origin' }).catch(() => {
    throw unreachableError();
  });
  const { status, statusText, headers } = response;
  if (status >= 400) throw failure({ status, statusText, headers, raw: await response.text() });
  const name = /filename\*=UTF-8''([^;]+)/.exec(headers.get('Content-Disposition') ?? '')?.[1];
  return { name: decodeURIComponent(name ?? 'export'), content: await response.blob() };
}

function parseBody(answer: Answer): unknown {
  if (answer.raw === '') return undefined;
  const type = answer.headers.get('Content-Type') ?? '';
  if (isHtml(answer.raw, type)) throw failure(answer);
  return type.includes('json') ? JSON.parse(answer.raw) : answer.raw;
}

/** The error of a response. A 401 also ends the session of this tab. */
function failure(answer: Answer): ApiError {
  const error = errorOf(answer);
  if (answer.status === 401) clearSession(error);
  return error;
}

function errorOf(answer: Answer): ApiError {
  const { status, statusText, raw } = answer;
  const html = isHtml(raw, answer.headers.get('Content-Type') ?? '');
  let body: Record<string, unknown> = {};
  let message = '';
  if (html) {
    message = SESSION_EXPIRED;
  } else {
    try {
      body = JSON.parse(raw) as Record<string, unknown>;
      message = responseMessage(body, statusText);
    } catch {
      message = responseMessage({ error: preview(raw) }, statusText);
    }
    if (message === '' && status === 401) message = AUTHENTICATION_FAILED;
  }
  // An HTML page comes from a proxy, so its status says nothing about the permissions of the user.
  return new ApiError(html ? message : shownMessage(status, message), {
    status,
    statusText,
    code: body['code'] as ApiErrorCode | undefined,
    details: body['details'],
    requestId: body['requestId'] as string | undefined,
    retryAfter: Number(answer.headers.get('Retry-After')) || undefined,
    serverMessage: message,
    raw,
  });
}

function positionOf(result: unknown): string | undefined {
  if (typeof result !== 'object' || result === null) return undefined;
  const position = (result as Written).position;
  return typeof position === 'string' ? position : undefined;
}

/** Creates a random key. `crypto.randomUUID` exists only in secure contexts, and an intranet page may not be one. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the data of a response `{ success, data }` (specification §3), or the body itself. */
export function unwrap<T>(body: unknown): T {
  if (typeof body === 'object' && body !== null && 'success' in body && 'data' in body) {
    return (body as { data: T }).data;
  }
  return body as T;
}

/** Removes all cached responses, so that the next user sees none of them. */
export function forgetAnswers(): void {
  bodies.clear();
  inFlight.clear();
}
