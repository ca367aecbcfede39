/** Bulk review of crosswalks or relationships. */
import type { SelectionView } from '@rdm/contracts/approvals/approvals';
import type { Page } from '@rdm/contracts/lists/filter';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { useQueryClient } from '@tanstack/react-query';
import { read, write } from '../../lib/api/index.ts';
import type { DefinitionName } from '../../lib/definitions/index.ts';
import { fieldIn } from '../../lib/filters/field-in.ts';
import type { ListParams } from '../../lib/url-state/list-state.ts';
import type { Undoable } from '../undo-bar/index.tsx';
import { sendReview } from './commands.ts';
import type { Definition, DefinitionKind } from './definition-kind.ts';
import { type Review, useReview } from './use-review.tsx';
import type { RowVerb } from './verbs.ts';

/** Stores the ids of all matching definitions as a selection on the server. */
export const freezeDefinitions = (name: DefinitionName, { q, filter }: ListParams, deleted: boolean) =>
  write<SelectionView>('POST', '/api/selections', {
    kind: `${name}s`,
    q,
    filter,
    ...(deleted ? { tab: 'deleted' } : {}),
  });

/** Loads the names of definitions, including deleted ones. */
async function namesOf(name: DefinitionName, results: readonly { id: number }[]): Promise<Map<number, string>> {
  const ids = results.map(({ id }) => id);
  const query = { filter: fieldIn('id', ids), pageSize: ids.length };
  const pages = await Promise.all(
    [undefined, true].map((deleted) => read<Page<Definition>>(`/api/${name}s`, { query: { ...query, deleted } })),
  );
  return new Map(pages.flatMap(({ items }) => items.map((row) => [row.id, row.name] as const)));
}

export function useDefinitionsReview<Row extends Definition, Verb extends RowVerb>(
  { name, title, wordsOfMany, countText, isServed, reloadAll }: DefinitionKind<Row, Verb>,
  onUndoable: (action: Undoable) => void,
): Review<Row> {
  const queries = useQueryClient();
  return useReview<Row, RowOutcome>({
    labelOf: (row) => row.name,
    labelsOf: (results) => namesOf(name, results),
    fallbackLabelOf: (id) => `${title} ${id}`,
    countText,
    words: wordsOfMany,
    send: (verb, chosen, comment) => sendReview(`/api/${name}s`, verb, chosen, comment),
    hasTabs: false,
    // The result of a definition has no `parentId`, because a definition has no parent.
    resultOf: ({ id }) => ({ id }),
    reload: () => reloadAll(queries),
    isServed: (row) => row !== undefined && isServed(row),
    onUndoable,
    warningOf: (verb, rows) => (verb === 'approve' ? deletionWarning(rows) : undefined),
  });
}

/** Names up to five definitions that the approval deletes; undefined without deletions. */
function deletionWarning(rows: readonly Definition[]): string | undefined {
  const requested = rows.filter(({ deletionRequested }) => deletionRequested);
  if (requested.length === 0) return undefined;
  const names = requested.slice(0, 5).map(({ name }) => name);
  return `This approves the deletion of ${names.join(', ')}${requested.length > 5 ? ` and ${requested.length - 5} more` : ''}.`;
}
