/** Who calls: a stranger, people of every role, and API keys of every scope, each as the requests of a client of theirs. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { API_KEY_PREFIX } from '@rdm/contracts/identity/api-keys';
import { type Answer, isTransferRefused, type Json, TRANSFER_PAUSE_MS } from '../http-client.ts';

/** The columns of the table, in its order. */
export const CALLERS = [
  'anonymous',
  'flagged',
  'guest',
  'curator',
  'viewer',
  'sso',
  'steward',
  'approver',
  'keeper',
  'admin',
  'key-read',
  'key-translate',
  'key-write',
] as const;
export type CallerName = (typeof CALLERS)[number];

/** One of them: what they are known by, and what their requests carry. */
export interface Caller {
  name: CallerName;
  /** The user; of a key the negative of its id, as staged files and selections are owned. 0 for a stranger. */
  ownerId: number;
  /** What they sign in with; keys and strangers do not. */
  signIn?: { username: string; password: string };
  cookie?: string;
  key?: string;
}

export const isKey = (caller: Caller): boolean => caller.key?.startsWith(API_KEY_PREFIX) === true;

/** A request as the rows of the table make it. */
export interface CallerRequest {
  method: string;
  path: string;
  body?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
}

/** Headers of a page of ours, or of a system that carries a key. */
export const headersOf = (caller: Caller, baseUrl: string, method: string): Record<string, string> => ({
  ...(caller.cookie === undefined ? {} : { Cookie: caller.cookie }),
  ...(caller.key === undefined ? {} : { Authorization: `Bearer ${caller.key}` }),
  ...(method === 'GET' || caller.key !== undefined ? {} : { Origin: baseUrl }),
  ...(method === 'GET' ? {} : { 'Idempotency-Key': randomUUID() }),
});

/** Asks as the caller does; the body of the answer is read unless it never ends. */
export async function sendAs(baseUrl: string, caller: Caller, request: CallerRequest): Promise<Answer> {
  const { method, path, body, form, headers } = request;
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...headersOf(caller, baseUrl, method),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(form ? { body: form } : body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return { status: response.status, body: undefined, headers: response.headers };
  }
  const text = await response.text();
  const isJson = response.headers.get('Content-Type')?.includes('json') === true;
  const answer = isJson && text !== '' ? (JSON.parse(text) as Json) : text;
  if (isTransferRefused(response.status, answer.error)) {
    await pause(TRANSFER_PAUSE_MS);
    return sendAs(baseUrl, caller, request);
  }
  return { status: response.status, body: answer, headers: response.headers };
}
