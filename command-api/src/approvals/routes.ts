/** Decides approval items of any kind and parent, with an outcome per item. */

import { type ApprovalKind, Decide, type Decide as DecideBody, Refusal, type RowOutcome } from '@rdm/contracts';
import { type Route, route } from '@rdm/platform';
import { bulkAnswer } from '../bulk/row-chunks.ts';
import { needsJob, startJob } from '../bulk/start.ts';
import type { Reviewers } from '../review/reviewers.ts';
import { VERB_WORDS } from '../review/row-review.ts';
import { selectedRows } from '../review/selections.ts';
import { ItemsAnswer, JobAnswer } from '../runtime/answer-schemas.ts';
import { type Commands, command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';

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
    const parentItems = parents.get(item.parentId);
    if (parentItems) parentItems.push(item);
    else parents.set(item.parentId, [item]);
  }
  return parents;
}

/** Returns the sources and all ends of the parents that the user can see; undefined if the user can see no parent. */
async function governanceOf(x: Execution, items: readonly Item[], reviewers: Reviewers) {
  const sources = new Set<number>();
  const all = new Set<number>();
  for (const kind of ORDER) {
    for (const parentId of byParent(items, kind).keys()) {
      const { governedBy } = await reviewers[kind].governanceOf(x, parentId).catch(noDataSets);
      for (const id of governedBy.slice(0, 1)) sources.add(id);
      for (const id of governedBy) all.add(id);
    }
  }
  return sources.size === 0 ? undefined : { dataSetIds: [...sources], governedBy: [...all] };
}

function noDataSets(error: unknown): { governedBy: number[] } {
  if (error instanceof Refusal) return { governedBy: [] };
  throw error;
}

/** Refuses all items of a parent whose review was refused; a job logs that the items were skipped. */
const refuseAll =
  (x: Execution, items: readonly Item[], kind: ApprovalKind, parentId: number) =>
  async (error: unknown): Promise<RowOutcome[]> => {
    if (!(error instanceof Refusal)) throw error;
    await x.logSkipped(
      `${items.length.toLocaleString('en')} items (${kind}) of parent ${parentId} were not tried: ${error.message}`,
      error,
    );
    return items.map(({ id }) => ({ id, outcome: 'refused', code: error.code, message: error.message }));
  };

/**
 * Crosswalks come before their mappings, so that approved mappings are served immediately. Relationships come last:
 * only their deletion is reviewed, and values of a deleted relationship cannot be decided.
 */
const ORDER: readonly ApprovalKind[] = ['crosswalk', 'mapping', 'relationship-value', 'relationship'];

export function approvalRoutes(commands: Commands, reviewers: Reviewers): Route[] {
  const decide = command<{ body: DecideBody }>('DecideApprovals', async (x, { body }) => {
    const items = await itemsOf(x, body);
    if ('selectionId' in body && needsJob(x, items)) {
      const governance = await governanceOf(x, items, reviewers);
      if (governance) {
        const verbText = VERB_WORDS[body.decision];
        const description = `${verbText} ${items.length.toLocaleString('en')} items`;
        const input = { selectionId: body.selectionId };
        return startJob(x, { input, verbText, total: items.length, description, ...governance });
      }
    }
    const results: (RowOutcome & { kind: ApprovalKind; parentId: number })[] = [];
    for (const kind of ORDER) {
      for (const [parentId, parentItems] of byParent(items, kind)) {
        const outcomes = await reviewers[kind]
          .review(x, body.decision, parentId, parentItems, body.comment)
          .catch(refuseAll(x, parentItems, kind, parentId));
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
      {
        summary: 'Approve or reject items',
        example: {
          body: {
            decision: 'approve',
            items: [{ kind: 'mapping', id: 12946, parentId: 1, revision: 2 }],
            comment: 'Checked',
          },
        },
        answers: { 200: ItemsAnswer, 202: JobAnswer },
        body: Decide,
        limit: 16 * 1024 * 1024,
      },
      (request) => commands.handle(decide, request, { body: request.body }),
    ),
  ];
}
