/** Review commands on rows: on those given, or on all of a frozen selection. */
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { type Written, write } from '../../lib/api/index.ts';
import type { RowVerb } from './verbs.ts';

export interface VersionedRow {
  id: number;
  revision: number;
}

/** Rows with their expected revisions, or all rows of a frozen selection. */
export type RowSelection<Row extends VersionedRow = VersionedRow> = { rows: readonly Row[] } | { selectionId: string };

export interface BulkAnswer extends Written {
  /** The id of the batch, for undoing it. */
  commandId: string;
  results: RowOutcome[];
}

/** Only a selection can be decided by a job. */
type ReviewAnswer<Chosen> = Chosen extends { rows: unknown } ? BulkAnswer : BulkAnswer | DecidedAsJob;

/** `path` is that of the rows in the API. */
export function reviewRows<Chosen extends RowSelection>(
  path: string,
  verb: RowVerb,
  chosen: Chosen,
  comment?: string,
): Promise<ReviewAnswer<Chosen>> {
  const body = {
    ...('rows' in chosen ? { rows: chosen.rows.map(({ id, revision }) => ({ id, revision })) } : chosen),
    ...(comment === undefined ? {} : { comment }),
  };
  return verb === 'delete' ? write('DELETE', path, body) : write('POST', `${path}/${verb}`, body);
}

/** The same in the form of `useReview`. */
export async function sendReview(path: string, verb: RowVerb, chosen: RowSelection, comment?: string) {
  const answer = await reviewRows(path, verb, chosen, comment);
  return 'jobId' in answer
    ? { results: [], commandIds: [], jobs: [answer] }
    : { results: answer.results, commandIds: [answer.commandId], jobs: [] };
}
