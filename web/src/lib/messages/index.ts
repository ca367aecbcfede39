/** Selects the messages of failed requests, and rewrites messages about permissions (specification §8). */
import { ERROR_PREVIEW_CHARACTERS } from '@rdm/contracts/constants';

export const SESSION_EXPIRED = 'Session expired or authentication required';
const NO_APPROVER_PERMISSION = "You don't have APPROVER permission for this collection";
const NO_PERMISSION = "You don't have permission to perform this action";
export const UNREACHABLE = 'The server cannot be reached. Check your connection and try again.';

const LOCKOUT = /temporarily locked|account locked|try again in|locked until/i;
const CARDINALITY = /cardinality|one-to-one|one-to-many|many-to-one/i;
/** “Unauthorized” does not match: this text means that no user is signed in, not that a level is missing. */
const PERMISSION = /permission|access|approver|\bauthorize/i;
const APPROVING = /approv/i;

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

function property(body: unknown, name: string): unknown {
  return typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[name] : undefined;
}

export const isHtml = (body: string, contentType: string): boolean =>
  contentType.includes('text/html') || /^\s*<(!doctype|html)/i.test(body);

/** Cuts a body that is not JSON to the length that a dialog shows. */
export const preview = (body: string): string => body.slice(0, ERROR_PREVIEW_CHARACTERS);

/** Selects the message in the order of §8. Without a message, returns '', so that the caller uses its fallback. */
export function responseMessage(body: unknown, statusText: string): string {
  return (
    text(property(body, 'error')) ??
    text(property(body, 'message')) ??
    text(property(property(body, 'data'), 'message')) ??
    text(statusText) ??
    ''
  );
}

/** The message for a 401 without any text. */
export const AUTHENTICATION_FAILED = 'Authentication failed';

/** Rewrites messages about permissions and all messages of a 403, except lockouts and cardinality violations (§8). */
export function shownMessage(status: number, message: string): string {
  if (LOCKOUT.test(message) || CARDINALITY.test(message)) return message;
  if (status !== 403 && !PERMISSION.test(message)) return message;
  return APPROVING.test(message) ? NO_APPROVER_PERMISSION : NO_PERMISSION;
}

interface RefusedRow {
  code?: string | undefined;
  message?: string | undefined;
}

/** Returns the message of a refused row of a bulk response. `approving`: whether the action needs APPROVER. */
export function rowMessage({ code, message }: RefusedRow, { approving = false } = {}): string | undefined {
  if (message === undefined) return undefined;
  const isForbidden = code === 'FORBIDDEN' || code === 'LEVEL';
  return isForbidden && approving ? NO_APPROVER_PERMISSION : shownMessage(isForbidden ? 403 : 409, message);
}

/**
 * Returns the message of a failed password change, in the order of §7 and §8. An HTML page means that the session has
 * expired.
 */
export function passwordChangeMessage(raw: string, status: number, statusText: string): string {
  if (isHtml(raw, '')) return SESSION_EXPIRED;
  let body: unknown;
  try {
    body = JSON.parse(raw);
  } catch {
    return text(preview(raw)) ?? `${status}: ${statusText}`;
  }
  return (
    text(property(property(body, 'data'), 'message')) ??
    text(property(body, 'message')) ??
    text(property(body, 'error')) ??
    'Failed to change password'
  );
}

/** Returns the title for a failed action. Status 0 means that the server was not reached. */
export function failedTitle(action: string, error: unknown): string {
  const status = property(error, 'status');
  if (status === 0) return `${action}: no answer`;
  return `${action}: ${typeof status === 'number' && status >= 500 ? 'failed' : 'refused'}`;
}

/** The message of a thrown value of any type. */
export const messageOf = (error: unknown, fallback = 'Unknown error'): string =>
  error instanceof Error && error.message !== '' ? error.message : fallback;
