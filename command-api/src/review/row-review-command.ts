/** Reviews the requested rows of one parent: in the request, or as a job if they are too many. */
import type { ReviewRows, RowOutcome } from '@rdm/contracts';
import { bulkAnswer } from '../bulk/row-chunks.ts';
import { needsJob, startJob } from '../bulk/start.ts';
import type { CommandAnswer } from '../runtime/command-answer.ts';
import type { Execution } from '../runtime/execution.ts';
import { type RowVerb, VERB_WORDS } from './row-review.ts';
import { selectedRows } from './selections.ts';

export interface RowsTarget {
  kind: 'mappings' | 'relationship-values';
  parentId: number;
  /** The rows in the job's description, for example "mappings of Countries to ISO". */
  what: string;
  /** A user with WRITE on this data set can cancel the job. */
  sourceId: number;
  governedBy: number[];
}

export async function reviewRequestedRows(
  x: Execution,
  verb: RowVerb,
  body: ReviewRows,
  { kind, parentId, what, sourceId, governedBy }: RowsTarget,
  review: (rows: readonly { id: number; revision: number }[]) => Promise<RowOutcome[]>,
): Promise<CommandAnswer> {
  const rows = 'rows' in body ? body.rows : await selectedRows(x, body.selectionId, kind, parentId);
  if (!('selectionId' in body && needsJob(x, rows))) return bulkAnswer(x, await review(rows));
  return startJob(x, {
    of: { selectionId: body.selectionId },
    tried: VERB_WORDS[verb],
    total: rows.length,
    description: `${VERB_WORDS[verb]} ${rows.length.toLocaleString('en')} ${what}`,
    dataSetIds: [sourceId],
    governedBy,
  });
}
