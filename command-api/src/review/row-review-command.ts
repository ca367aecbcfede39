/**
 * Review commands for the rows of one parent. A command decides its rows by bucket, in the request or as a job. The
 * approvals module uses the same review.
 */
import { bucketOfRow, type ReviewRows, type RowOutcome } from '@rdm/contracts';
import { bulkAnswer } from '../bulk/row-chunks.ts';
import { needsJob, startJob } from '../bulk/start.ts';
import { command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import type { Governance } from '../runtime/governance.ts';
import type { ReviewItems } from './reviewers.ts';
import { decideRows, type RowVerb, VERB_WORDS } from './row-review.ts';
import { selectedRows } from './selections.ts';

interface RequestedRow {
  id: number;
  revision: number;
}
type LoadParent<Parent> = (x: Execution, parentId: number) => Promise<Parent>;

interface ReviewedRows<Parent extends Governance> {
  command: string;
  kind: 'mappings' | 'relationship-values';
  /** Names the rows in the job's description, for example "mappings of Countries to ISO". */
  describe: (parent: Parent) => string;
  /** Loads a parent on whose source the user has the route's level. */
  requireParent: LoadParent<Parent>;
  /** Loads a parent that the user can see: approvals check the level per row. */
  loadParent: LoadParent<Parent>;
  stream: (parentId: number, bucket: number) => string;
  /** Loads the data for all decisions; returns a function that decides rows of one stream. */
  prepare: (
    x: Execution,
    parent: Parent,
    verb: RowVerb,
    rows: readonly RequestedRow[],
    comment: string | undefined,
  ) => Promise<(stream: string, rows: RequestedRow[], parent: Parent) => Promise<RowOutcome[]>>;
  /** Completes the review once all rows are decided. */
  finish: (x: Execution, parent: Parent, verb: RowVerb, outcomes: RowOutcome[]) => Promise<RowOutcome[]>;
}

export function rowReview<Parent extends Governance>(reviewed: ReviewedRows<Parent>) {
  async function reviewRows(
    x: Execution,
    parentId: number,
    load: LoadParent<Parent>,
    parent: Parent,
    verb: RowVerb,
    rows: readonly RequestedRow[],
    comment: string | undefined,
  ): Promise<RowOutcome[]> {
    const decide = await reviewed.prepare(x, parent, verb, rows, comment);
    const outcomes = await decideRows(
      x,
      rows,
      (row) => bucketOfRow(row.id),
      (bucket, chunk) => {
        const stream = reviewed.stream(parentId, bucket);
        return x.piece(stream, async () => {
          // A job takes long: check the permissions again for each piece.
          const current = x.jobId === undefined ? parent : await load(x, parentId);
          return decide(stream, chunk, current);
        });
      },
    );
    return reviewed.finish(x, parent, verb, outcomes);
  }

  const review = command<{ id: number; verb: RowVerb; body: ReviewRows }>(
    reviewed.command,
    async (x, { id, verb, body }) => {
      const parent = await reviewed.requireParent(x, id);
      const rows = 'rows' in body ? body.rows : await selectedRows(x, body.selectionId, reviewed.kind, id);
      if (!('selectionId' in body && needsJob(x, rows))) {
        return bulkAnswer(x, await reviewRows(x, id, reviewed.requireParent, parent, verb, rows, body.comment));
      }
      return startJob(x, {
        input: { selectionId: body.selectionId },
        verbText: VERB_WORDS[verb],
        total: rows.length,
        description: `${VERB_WORDS[verb]} ${rows.length.toLocaleString('en')} ${reviewed.describe(parent)}`,
        // A user with WRITE on the source can cancel the job.
        dataSetIds: parent.governedBy.slice(0, 1),
        governedBy: parent.governedBy,
      });
    },
  );

  /** Reviews rows for the approvals module. */
  const reviewItems: ReviewItems = async (x, verb, parentId, rows, comment) =>
    reviewRows(x, parentId, reviewed.loadParent, await reviewed.loadParent(x, parentId), verb, rows, comment);

  return { review, reviewItems };
}
