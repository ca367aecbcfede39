/** The stored answer of a command, and its HTTP form. */
import { Refusal, type RefusalCode } from '@rdm/contracts';
import type { ApiAnswer } from '@rdm/platform';

export interface CommandAnswer {
  status?: number;
  body?: Record<string, unknown>;
}

export interface StoredAnswer {
  status: number;
  body: Record<string, unknown>;
  position: string | undefined;
}

/**
 * The part of an answer that is stored for a command with `keep: false`. Only the id is stored: a secret is sent only
 * in the first answer, and names may be stored only in the vault.
 */
export const idOnly = (body: Record<string, unknown>): Record<string, unknown> =>
  'id' in body ? { id: body['id'] } : {};

export const INTERRUPTED_BODY = {
  error: 'This request was interrupted: check whether it took effect before you send it again as a new request',
  code: 'CONFLICT',
};

export const refusalBody = (refusal: Refusal): Record<string, unknown> => ({
  error: refusal.message,
  code: refusal.code,
  ...(refusal.details === undefined ? {} : { details: refusal.details }),
});

/** Converts a stored answer; throws a stored refusal again. */
export function toApiAnswer(answer: StoredAnswer): ApiAnswer {
  if (answer.status >= 400) {
    const { error, code, details } = answer.body as { error: string; code: RefusalCode; details?: unknown };
    const refusal = new Refusal(code, error, details);
    if (answer.position !== undefined) refusal.position = answer.position;
    throw refusal;
  }
  return {
    status: answer.status,
    body: answer.position === undefined ? answer.body : { ...answer.body, position: answer.position },
    position: answer.position,
  };
}
