/** Frozen selections: ids with the revisions that were seen, as query-api wrote them down for their owner. */
import { Refusal } from '@rdm/contracts';
import type { Execution } from './execution.ts';

export interface SelectedRow {
  id: number;
  revision: number;
  /** Across parents: what it is and whose. */
  kind: string | undefined;
  parentId: number | undefined;
}

/** The rows of a selection of whoever acts; refuses one that expired, or holds something else. */
export async function selectedRows(
  x: Execution,
  selectionId: string,
  kind: 'mappings' | 'relationship-values' | 'approvals' | 'instances',
  parentId?: number,
): Promise<SelectedRow[]> {
  const { rows } = await x.pool.query<{ parent_id: number | null; items: [number, number, string?, number?][] }>(
    `SELECT parent_id, items FROM platform.selections
      WHERE id = $1 AND owner_id = $2 AND kind = $3 AND expires_at > now()`,
    [selectionId, x.ownerId, kind],
  );
  const selection = rows[0];
  if (!selection || (parentId !== undefined && selection.parent_id !== parentId)) {
    throw new Refusal('NOT_FOUND', 'This selection has expired: select the rows again');
  }
  return selection.items.map(([id, revision, itemKind, itemParent]) => ({
    id,
    revision,
    kind: itemKind,
    parentId: itemParent,
  }));
}
