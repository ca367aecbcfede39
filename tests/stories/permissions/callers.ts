/** The callers of the permission table: an anonymous user, users with different roles, and API keys of every scope. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { API_KEY_PREFIX } from '@rdm/contracts/identity/api-keys';
import { requireDocumented } from '../../api-document/answer-check.ts';
import { type Answer, isTransferRefused, type Json, TRANSFER_PAUSE_MS } from '../http-client.ts';

/** The columns of the table, in order. The user `flagged` must change the password first. */
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

export interface Caller {
  name: CallerName;
  /**
   * The owner id in staged files and selections: the id of a user, the negative id of a key, or 0 for an anonymous
   * user.
   */
  ownerId: number;
  /** The credentials of a user. Keys and anonymous users have none. */
  signIn?: { username: string; password: string };
  cookie?: string;
  key?: string;
}

export const isKey = (caller: Caller): boolean => caller.key?.startsWith(API_KEY_PREFIX) === true;

/** A request of a row of the table. */
export interface CallerRequest {
  method: string;
  path: string;
  body?: unknown;
  form?: FormData;
  headers?: Record<string, string>;
  /** Skips the comparison with the API document, for routes whose access differs from the document. */
  isUndocumented?: boolean;
}

/** Returns the headers that a page of the product sends, or that a system with an API key sends. */
export const headersOf = (caller: Caller, baseUrl: string, method: string): Record<string, string> => ({
  ...(caller.cookie === undefined ? {} : { Cookie: caller.cookie }),
  ...(caller.key === undefined ? {} : { Authorization: `Bearer ${caller.key}` }),
  ...(method === 'GET' || caller.key !== undefined ? {} : { Origin: baseUrl }),
  ...(method === 'GET' ? {} : { 'Idempotency-Key': randomUUID() }),
});

/** Sends a request as the caller. Repeats a request that was refused because of other test files. */
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
  const contentType = response.headers.get('Content-Type');
  const check = (received: unknown) => {
    if (request.isUndocumented !== true)
      requireDocumented(method, path, {
        status: response.status,
        contentType,
        body: received,
        headers: response.headers,
      });
  };
  if (contentType?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    check(undefined);
    return { status: response.status, body: undefined, headers: response.headers };
  }
  const text = await response.text();
  const isJson = contentType?.includes('json') === true;
  const answer = isJson && text !== '' ? (JSON.parse(text) as Json) : text;
  check(answer);
  // Other test files use the same stack, which limits the transfers of a user, and makes only one backup at a time.
  if (isTransferRefused(response.status, answer.error) || answer.code === 'BACKUP_RUNNING') {
    await pause(TRANSFER_PAUSE_MS);
    return sendAs(baseUrl, caller, request);
  }
  return { status: response.status, body: answer, headers: response.headers };
}
