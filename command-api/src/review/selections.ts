/** Frozen selections: ids with the revisions that were seen, as query-api wrote them down for their owner. */
import { type FreezeSelection, Refusal, WORDS } from '@rdm/contracts';
import type { Execution } from '../runtime/execution.ts';

export interface SelectedRow {
  id: number;
  revision: number;
  /** Across parents: what it is and whose. */
  kind: string | undefined;
  parentId: number | undefined;
}

interface Selection {
  parent_id: number | null;
  items: [number, number, string?, number?][];
}

/** As it was frozen; a job keeps its own, which does not expire. How its rows were found is kept for the audit log. */
async function loadSelection(x: Execution, selectionId: string, kind: string): Promise<Selection | undefined> {
  if (x.jobId !== undefined) {
    const { rows } = await x.pool.query<{ selection: Selection }>(
      'SELECT selection FROM command.bulk_decisions WHERE job_id = $1',
      [x.jobId],
    );
    return rows[0]?.selection;
  }
  const { rows } = await x.pool.query<Selection>(
    `WITH chosen AS (SELECT parent_id, items, criteria FROM platform.selections
        WHERE id = $1 AND owner_id = $2 AND kind = $3 AND expires_at > now()),
      kept AS (INSERT INTO command.selection_criteria (command_id, criteria)
        SELECT $4, criteria FROM chosen WHERE criteria IS NOT NULL ON CONFLICT DO NOTHING)
     SELECT parent_id, items FROM chosen`,
    [selectionId, x.ownerId, kind, x.meta.commandId],
  );
  return rows[0];
}

/**
 * The rows of a selection of whoever acts; refuses one that expired, or holds something else. Of one across parents, those
 * of the parent that is named.
 */
export async function selectedRows(
  x: Execution,
  selectionId: string,
  kind: FreezeSelection['kind'],
  parentId?: number,
): Promise<SelectedRow[]> {
  const selection = await loadSelection(x, selectionId, kind);
  const isAcross = selection?.parent_id === null;
  if (!selection || (parentId !== undefined && !isAcross && selection.parent_id !== parentId)) {
    throw new Refusal('NOT_FOUND', WORDS.selectionExpired);
  }
  const rows = selection.items.map(([id, revision, itemKind, itemParent]) => ({
    id,
    revision,
    kind: itemKind,
    parentId: itemParent,
  }));
  return parentId !== undefined && isAcross ? rows.filter((row) => row.parentId === parentId) : rows;
}
