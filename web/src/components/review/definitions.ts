/** Bulk review of definitions, crosswalks or relationships: of those selected, or of all that match. */
import type { SelectionView } from '@rdm/contracts/approvals/approvals';
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { FilterGroup, Page } from '@rdm/contracts/lists/filter';
import type { RowOutcome } from '@rdm/contracts/review/reviewed-rows';
import { read, type Written, write } from '../../lib/api/index.ts';
import type { ListParams } from '../../lib/url-state/list-state.ts';
import type { Undoable } from '../undo-bar/index.tsx';
import { type Review, useReview } from './use-review.tsx';
import type { RowVerb, VerbWords } from './verbs.ts';

interface Definition {
  id: number;
  revision: number;
  name: string;
  deletionRequested: boolean;
}

type Kind = 'crosswalks' | 'relationships';

/** Freezes all rows that match. */
export const freezeDefinitions = (kind: Kind, { q, filter }: ListParams, deleted: boolean) =>
  write<SelectionView>('POST', '/api/selections', { kind, q, filter, ...(deleted ? { tab: 'deleted' } : {}) });

/** Their names, including those deleted in the meantime. */
async function namesOf(kind: Kind, results: readonly { id: number }[]): Promise<Map<number, string>> {
  const ids = results.map(({ id }) => id);
  const filter: FilterGroup = { logic: 'AND', conditions: [{ field: 'id', operator: 'in', value: ids }] };
  const query = { filter: JSON.stringify(filter), pageSize: ids.length };
  const pages = await Promise.all(
    [undefined, true].map((deleted) => read<Page<Definition>>(`/api/${kind}`, { query: { ...query, deleted } })),
  );
  return new Map(pages.flatMap(({ items }) => items.map(({ id, name }) => [id, name] as const)));
}

interface BulkAnswer extends Written {
  commandId: string;
  results: RowOutcome[];
}

export interface DefinitionsReviewOptions<Row extends Definition> {
  kind: Kind;
  /** "3 crosswalks". */
  countText: (count: number) => string;
  words: Record<RowVerb, VerbWords>;
  /** Whether a version of it was approved: then an approver must approve its deletion. */
  isServed: (row: Row) => boolean;
  reload: () => Promise<unknown>;
  onUndoable: (action: Undoable) => void;
}

export function useDefinitionsReview<Row extends Definition>({
  kind,
  isServed,
  ...options
}: DefinitionsReviewOptions<Row>): Review<Row> {
  const path = `/api/${kind}`;
  return useReview<Row, RowOutcome>({
    ...options,
    labelOf: ({ name }) => name,
    labelsOf: (results) => namesOf(kind, results),
    namelessAs: (id) => `No. ${id}`,
    async send(verb, chosen, comment) {
      const rows = 'rows' in chosen ? { rows: chosen.rows.map(({ id, revision }) => ({ id, revision })) } : chosen;
      const body = { ...rows, ...(comment === undefined ? {} : { comment }) };
      const response = await (verb === 'delete'
        ? write<BulkAnswer | DecidedAsJob>('DELETE', path, body)
        : write<BulkAnswer | DecidedAsJob>('POST', `${path}/${verb}`, body));
      if ('jobId' in response) return { results: [], commandIds: [], jobs: [response] };
      return { results: response.results, commandIds: [response.commandId], jobs: [] };
    },
    // A definition is its own parent.
    resultOf: ({ id }) => ({ id }),
    isServed: (row) => row !== undefined && isServed(row),
    warningOf: (verb, rows) => (verb === 'approve' ? deletesText(rows) : undefined),
  });
}

/** The definitions that an approval would delete, for a warning in the dialog. */
function deletesText(rows: readonly Definition[]): string | undefined {
  const requested = rows.filter(({ deletionRequested }) => deletionRequested);
  if (requested.length === 0) return undefined;
  const names = requested.slice(0, 5).map(({ name }) => name);
  return `Approved is the deletion of ${names.join(', ')}${requested.length > 5 ? ` and ${requested.length - 5} more` : ''}.`;
}
