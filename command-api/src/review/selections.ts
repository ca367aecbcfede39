/** Loads frozen selections: row ids with expected revisions, stored by query-api for their owner. */
import { type FreezeSelection, Refusal, WORDS } from '@rdm/contracts';
import type { Execution } from '../runtime/execution.ts';

export interface SelectedRow {
  id: number;
  revision: number;
  /** The kind and parent of a row, in selections across parents. */
  kind: string | undefined;
  parentId: number | undefined;
}

interface Selection {
  parent_id: number | null;
  items: [number, number, string?, number?][];
}

/**
 * Loads a selection. A job has its own copy, which does not expire. A request also stores the criteria of the selection
 * for the audit log.
 */
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
 * Returns the rows of the user's selection; with `parentId`, only the rows of this parent. Throws if the selection has
 * expired or has another kind or parent.
 */
export async function selectedRows(
  x: Execution,
  selectionId: string,
  kind: FreezeSelection['kind'],
  parentId?: number,
): Promise<SelectedRow[]> {
  const selection = await loadSelection(x, selectionId, kind);
  const isAcrossParents = selection?.parent_id === null;
  if (!selection || (parentId !== undefined && !isAcrossParents && selection.parent_id !== parentId)) {
    throw new Refusal('NOT_FOUND', WORDS.selectionExpired);
  }
  const rows = selection.items.map(([id, revision, itemKind, itemParent]) => ({
    id,
    revision,
    kind: itemKind,
    parentId: itemParent,
  }));
  return parentId !== undefined && isAcrossParents ? rows.filter((row) => row.parentId === parentId) : rows;
}
