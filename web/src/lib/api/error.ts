/** A failed call: what to show, and what the server said for those who act on it. */
import type { RefusalCode } from '@rdm/contracts/refusal';

export type ApiErrorCode = RefusalCode | 'INTERNAL' | 'NETWORK';

export class ApiError extends Error {
  readonly status: number;
  readonly statusText: string;
  readonly code: ApiErrorCode | undefined;
  readonly details: unknown;
  readonly requestId: string | undefined;
  /** The server's own words, before permission rewriting. */
  readonly serverMessage: string;
  /** The body as text, for the calls that read it in their own way. */
  readonly raw: string;

  constructor(message: string, answer: Omit<ApiError, keyof Error | 'stack'>) {
    super(message);
    this.name = 'ApiError';
    this.status = answer.status;
    this.statusText = answer.statusText;
    this.code = answer.code;
    this.details = answer.details;
    this.requestId = answer.requestId;
    this.serverMessage = answer.serverMessage;
    this.raw = answer.raw;
  }
}

/** Something that was shown a moment ago is refused now. */
export class NoLongerShared extends ApiError {
  constructor(refused: ApiError) {
    super('This is no longer shared with you, or it was deleted.', refused);
    this.name = 'NoLongerShared';
  }
}

/** A call that got no answer (status 0) or a server's failure may be sent again; a refusal (4xx) may not. */
export const mayRetry = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status >= 500);

/** A read that the server was too busy for is asked again, a moment later; a write is not (429 is a refusal). */
export const mayReadAgain = (error: unknown): boolean =>
  mayRetry(error) || (error instanceof ApiError && error.status === 429);
