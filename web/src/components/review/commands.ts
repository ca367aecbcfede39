/** Sends review commands for given rows, or for all rows of a selection. */
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { type Written, write } from '../../lib/api/index.ts';
import type { RowVerb } from './verbs.ts';

export interface VersionedRow {
  id: number;
  revision: number;
}

/** Rows with their expected revisions, or all rows of a selection. */
export type RowSelection<Row extends VersionedRow = VersionedRow> = { rows: readonly Row[] } | { selectionId: string };

export interface BulkAnswer extends Written {
  /** The id of the batch. The undo of the batch requires this id. */
  commandId: string;
  results: RowOutcome[];
}

/** The server reviews listed rows within the request, but can start a job for the rows of a selection. */
type ReviewAnswer<Selection> = Selection extends { rows: unknown } ? BulkAnswer : BulkAnswer | DecidedAsJob;

/** `path` is the API path of the rows. */
export function reviewRows<Selection extends RowSelection>(
  path: string,
  verb: RowVerb,
  selection: Selection,
  comment?: string,
): Promise<ReviewAnswer<Selection>> {
  const body = {
    ...('rows' in selection ? { rows: selection.rows.map(({ id, revision }) => ({ id, revision })) } : selection),
    ...(comment === undefined ? {} : { comment }),
  };
  return verb === 'delete' ? write('DELETE', path, body) : write('POST', `${path}/${verb}`, body);
}

/** Sends a review command, and returns the answer in the form that `useReview` expects. */
export async function sendReview(path: string, verb: RowVerb, selection: RowSelection, comment?: string) {
  const answer = await reviewRows(path, verb, selection, comment);
  return 'jobId' in answer
    ? { results: [], commandIds: [], jobs: [answer] }
    : { results: answer.results, commandIds: [answer.commandId], jobs: [] };
}
