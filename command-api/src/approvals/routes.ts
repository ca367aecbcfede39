/** Decisions over items of any kind and parent, each answered for itself. */
import { type ApprovalKind, Decide, type Decide as DecideBody, Refusal, type RowOutcome } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { type Commands, command } from '../commands.ts';
import type { Execution } from '../execution.ts';
import type { Reviewers } from '../reviewing.ts';
import { bulkAnswer } from '../rows.ts';
import { selectedRows } from '../selections.ts';

interface Item {
  kind: ApprovalKind;
  id: number;
  parentId: number;
  revision: number;
}

async function itemsOf(x: Execution, body: DecideBody): Promise<Item[]> {
  if ('items' in body) return body.items;
  const rows = await selectedRows(x, body.selectionId, 'approvals');
  return rows.map((row) => ({
    kind: row.kind as ApprovalKind,
    id: row.id,
    parentId: row.parentId as number,
    revision: row.revision,
  }));
}

function byParent(items: readonly Item[], kind: ApprovalKind): Map<number, Item[]> {
  const parents = new Map<number, Item[]>();
  for (const item of items) {
    if (item.kind !== kind) continue;
    const ofParent = parents.get(item.parentId);
    if (ofParent) ofParent.push(item);
    else parents.set(item.parentId, [item]);
  }
  return parents;
}

/** A parent that is gone, or hidden from this user, refuses its own items alone. */
const refusedAlike =
  (items: readonly Item[]) =>
  (error: unknown): RowOutcome[] => {
    if (!(error instanceof Refusal)) throw error;
    return items.map(({ id }) => ({ id, outcome: 'refused', code: error.code, message: error.message }));
  };

/** Headers before values, so that values which are approved with their crosswalk serve at once; a relationship's is its end. */
const ORDER: readonly ApprovalKind[] = ['crosswalk', 'mapping', 'relationship-value', 'relationship'];

export function approvalRoutes(commands: Commands, reviewers: Reviewers): Route[] {
  const decide = command<{ body: DecideBody }>('DecideApprovals', async (x, { body }) => {
    const items = await itemsOf(x, body);
    const results: (RowOutcome & { kind: ApprovalKind; parentId: number })[] = [];
    for (const kind of ORDER) {
      for (const [parentId, ofParent] of byParent(items, kind)) {
        const outcomes = await reviewers[kind](x, body.decision, parentId, ofParent, body.comment).catch(
          refusedAlike(ofParent),
        );
        results.push(...outcomes.map((outcome) => ({ ...outcome, kind, parentId })));
      }
    }
    return bulkAnswer(x, results);
  });
  commands.register([decide]);
  return [
    route(
      'post',
      '/api/approvals/decide',
      { level: 'APPROVER' },
      { body: Decide, limit: 16 * 1024 * 1024 },
      (request) => commands.handle(decide, request, { body: request.body }),
    ),
  ];
}
