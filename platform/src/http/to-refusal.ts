/** Converts an error to a refusal that the caller can act on. */
import { installIssueWords, MISSING, placedWords, Refusal } from '@rdm/contracts';
import { ZodError, type z } from 'zod';

/** Error codes of PostgreSQL and of sockets, and 14, which is UNAVAILABLE in gRPC. */
const UNAVAILABLE_CODES = new Set([
  '14',
  'ECONNREFUSED',
  'ECONNRESET',
  '57P01',
  '57P03',
  '08006',
  '08001',
  '53300',
  'EPIPE',
]);

/** Messages of errors without a code, from the PostgreSQL client and from the client of an unreachable event store. */
const UNAVAILABLE_MESSAGES = /Connection terminated|timeout exceeded when trying to connect|^Failed to discover after/;

installIssueWords();

type Issue = z.core.$ZodIssue;

const isAbsent = ({ message }: Issue): boolean => message === MISSING;

/** Sorts the likely form of a body first: the form with fewer missing parts, then the form that was parsed further. */
function compareLikelihood(one: readonly Issue[], other: readonly Issue[]): number {
  const depth = (issues: readonly Issue[]) => Math.max(...issues.map(({ path }) => path.length));
  return one.filter(isAbsent).length - other.filter(isAbsent).length || depth(other) - depth(one);
}

/** Returns the issues of the form that was most likely intended. Zod itself only reports that no form matches. */
function issuesOfIntendedForm(
  issues: readonly Issue[],
  path: readonly PropertyKey[] = [],
): { path: string; message: string }[] {
  return issues.flatMap((issue) => {
    const at = [...path, ...issue.path];
    const meant = issue.code === 'invalid_union' ? issue.errors.toSorted(compareLikelihood)[0] : undefined;
    if (meant !== undefined) return issuesOfIntendedForm(meant, at);
    return [{ path: at.map(String).join('.'), message: issue.message }];
  });
}

/** The message of the first issue. */
function wordsOf([first]: readonly { path: string; message: string }[]): string {
  if (first === undefined) return 'The request is not valid';
  if (first.path === '' && first.message === MISSING) return 'This request needs a JSON body';
  return placedWords(first.path, first.message);
}

const NO_SPACE =
  'The disk of the server is full, so nothing can be saved at the moment. Please try again later, or ask its operator to free space.';
const NO_SPACE_RETRY_SECONDS = 5;

/** Returns the refusal for an error; undefined for an unexpected error, which is answered with 500. */
export function toRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error;
  if (error instanceof ZodError) {
    const issues = issuesOfIntendedForm(error.issues);
    return new Refusal('INVALID', wordsOf(issues), issues);
  }
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  const name = error instanceof Error ? error.name : '';
  // 53100: PostgreSQL's disk is full.
  if (name === 'StoreFull' || code === '53100') {
    return new Refusal('UNAVAILABLE', NO_SPACE, undefined, NO_SPACE_RETRY_SECONDS);
  }
  if (UNAVAILABLE_CODES.has(code) || name === 'UnknownOutcome' || name === 'UnavailableError') {
    return new Refusal('UNAVAILABLE', 'A part of the system is restarting. Please try again.', undefined, 1);
  }
  if (error instanceof Error && UNAVAILABLE_MESSAGES.test(error.message)) {
    return new Refusal('UNAVAILABLE', 'A part of the system is restarting. Please try again.', undefined, 1);
  }
  if (code === '57014') {
    return new Refusal('TOO_MANY_REQUESTS', 'This takes too long: narrow the filter and try again', undefined, 1);
  }
  return undefined;
}
