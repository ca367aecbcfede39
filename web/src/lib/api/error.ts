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

/** The error for displayed data that is no longer shared with the user or was deleted. */
export class NoLongerShared extends ApiError {
  constructor(refused: ApiError) {
    super('This is no longer shared with you, or it was deleted.', refused);
    this.name = 'NoLongerShared';
  }
}

/** Whether the request may be sent again: without a response (status 0) or after a server error (5xx). */
export const mayRetry = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/** A longer wait after a 429 is shown to the user. */
const SHORT_WAIT_SECONDS = 2;

/** Whether a read may be sent again. Unlike a write, a read may be sent again after a 429 with a short wait. */
export const mayReadAgain = (error: unknown): boolean =>
  mayRetry(error) ||
  (error instanceof ApiError && error.status === 429 && (error.retryAfter ?? 0) <= SHORT_WAIT_SECONDS);

/**
 * Returns the milliseconds until the `Retry-After` of a 429 at `failedAt` has passed; 0 for other errors, and without
 * the header.
 */
export function waitAfter(error: unknown, failedAt: number): number {
  if (!(error instanceof ApiError) || error.status !== 429 || error.retryAfter === undefined) return 0;
  return Math.max(0, failedAt + error.retryAfter * 1_000 - Date.now());
}
