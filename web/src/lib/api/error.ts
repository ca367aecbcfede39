/** The errors of failed requests, with the message to show and the properties of the response. */
import type { RefusalCode } from '@rdm/contracts/refusal';

export type ApiErrorCode = RefusalCode | 'INTERNAL' | 'NETWORK';

export class ApiError extends Error {
  readonly status: number;
  readonly statusText: string;
  readonly code: ApiErrorCode | undefined;
  readonly details: unknown;
  readonly requestId: string | undefined;
  /** Seconds after which the request may be sent again, from `Retry-After`; undefined if the response has none. */
  readonly retryAfter: number | undefined;
  /** The message of the server, before permission errors are rewritten. */
  readonly serverMessage: string;
  /** The body as text, for callers that parse it themselves. */
  readonly raw: string;

  constructor(message: string, answer: Omit<ApiError, keyof Error | 'stack'>) {
    super(message);
    this.name = 'ApiError';
    this.status = answer.status;
    this.statusText = answer.statusText;
    this.code = answer.code;
    this.details = answer.details;
    this.requestId = answer.requestId;
    this.retryAfter = answer.retryAfter;
    this.serverMessage = answer.serverMessage;
    this.raw = answer.raw;
  }
}

/**
 * The error for data that the page has displayed before, and that was deleted or is no longer shared with the user.
 */
export class NoLongerShared extends ApiError {
  constructor(refused: ApiError) {
    super('This is no longer shared with you, or it was deleted.', refused);
    this.name = 'NoLongerShared';
  }
}

/**
 * Whether the request may be sent again: only if no response arrived (status 0) or after a server error, never after a
 * refusal (4xx).
 */
export const mayRetry = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/** A longer wait after a 429 is shown to the user. */
const SHORT_WAIT_SECONDS = 2;

/**
 * Whether a read may be sent again soon. Unlike a write, a read may also be sent again after a 429 with a short wait.
 */
export const mayReadAgain = (error: unknown): boolean =>
  mayRetry(error) ||
  (error instanceof ApiError && error.status === 429 && (error.retryAfter ?? 0) <= SHORT_WAIT_SECONDS);

/**
 * The milliseconds until a read that a limit (429) refused at `failedAt` may be sent again; 0 for other errors and if
 * the response has no `Retry-After`.
 */
export function waitAfter(error: unknown, failedAt: number): number {
  if (!(error instanceof ApiError) || error.status !== 429 || error.retryAfter === undefined) return 0;
  return Math.max(0, failedAt + error.retryAfter * 1_000 - Date.now());
}
