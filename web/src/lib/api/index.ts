/** The exports of the API client. */
export {
  forgetAnswers,
  newKey,
  postWithKey,
  type QueryValue,
  read,
  readFile,
  requireFile,
  stopSharingReads,
  unreachableError,
  unwrap,
  urlOf,
  type WriteMethod,
  type Written,
  write,
} from './client.ts';
export { ApiError, mayReadAgain, mayRetry, NoLongerShared, waitAfter } from './error.ts';
export { isBehind, onBehindChange } from './freshness.ts';
export { readHistory } from './history.ts';
export {
  fileAsOf,
  keepMoment,
  type Moment,
  momentIn,
  PAST_IS_READ_ONLY,
  pageMoment,
  runAsOf,
  searchAt,
  searchNow,
} from './moment.ts';
export { clearSession, forgetSessionEntries, markSession, onSessionCleared, sessionExists } from './session.ts';
