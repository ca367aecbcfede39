/** Runs review verbs over mappings: asks first, answers row by row, and offers to take it back. */
import { VERB_LEVEL } from '@rdm/contracts/approval';
import type { CrosswalkView, MappingView, RowOutcome } from '@rdm/contracts/crosswalks';
import type { FilterGroup, Page } from '@rdm/contracts/filter';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { CommentDialog } from '../../../components/comment-dialog/index.tsx';
import type { Selection } from '../../../components/data-grid/index.ts';
import { type Outcome, OutcomesDialog } from '../../../components/outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { read } from '../../../lib/api/index.ts';
import { failedTitle, messageOf, rowMessage } from '../../../lib/messages/index.ts';
import { reloadCrosswalk } from '../api/crosswalks.ts';
import { type Chosen, type MappingVerb, reviewMappings, type StatusTab } from '../api/mappings.ts';
import { inverse, mappingsText, VERB_WORDS } from './verbs.ts';

interface Asked {
  verb: MappingVerb;
  chosen: Chosen;
  count: number;
  rows: readonly MappingView[];
  onDone: () => void;
}

/** A row as it was when something was done to it. */
export const rowVersion = ({ id, revision }: { id: number; revision: number }): string => `${id} ${revision}`;

export interface MappingReview {
  /** Rows done one by one that the list, as it was last read, still holds; one that is refused comes back. */
  taken: ReadonlySet<string>;
  /** Opens the dialog that asks for a comment or a reason and says how many rows it touches. */
  ask: (verb: MappingVerb, selection: Pick<Selection<MappingView>, 'rows' | 'selectionId' | 'count' | 'clear'>) => void;
  /** Does it to one row at once. */
  one: (verb: MappingVerb, row: MappingView) => Promise<void>;
  dialogs: ReactNode;
}

const LABELLED_MAX = 500;
const pairText = ({ sourceValue, targetValue }: MappingView) => `${sourceValue} → ${targetValue}`;

/** Names rows that are known by their id alone, as after "all that match". */
async function pairsOf(crosswalkId: number, ids: readonly number[]): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const filter: FilterGroup = { logic: 'AND', conditions: [{ field: 'id', operator: 'in', value: ids }] };
  const page = await read<Page<MappingView>>(`/api/crosswalks/${crosswalkId}/mappings`, {
    query: { filter: JSON.stringify(filter), pageSize: LABELLED_MAX },
  });
  return new Map(page.items.map((row) => [row.id, pairText(row)]));
}

export function useMappingReview(
  crosswalk: CrosswalkView,
  tab: StatusTab,
  onUndoable: (action: Undoable) => void,
): MappingReview {
  const queries = useQueryClient();
  const [asked, setAsked] = useState<Asked>();
  const [busy, setBusy] = useState(false);
  const [taken, setTaken] = useState<ReadonlySet<string>>(new Set());
  const [outcomes, setOutcomes] = useState<{ title: string; outcomes: Outcome[] }>();
  const reload = () => reloadCrosswalk(queries, crosswalk.id);

  async function show(title: string, results: readonly RowOutcome[], rows: readonly MappingView[], approving = false) {
    const known = new Map(rows.map((row) => [row.id, pairText(row)]));
    const unknown = results.filter(({ id }) => !known.has(id)).map(({ id }) => id);
    const named = await pairsOf(crosswalk.id, unknown.slice(0, LABELLED_MAX));
    setOutcomes({
      title,
      outcomes: results.map((row) => ({
        id: row.id,
        outcome: row.outcome,
        message: rowMessage(row, { approving }),
        label: <span className="font-mono">{known.get(row.id) ?? named.get(row.id) ?? `Mapping ${row.id}`}</span>,
      })),
    });
  }

  /** Offers the inverse of what was done, for exactly the revisions that it left behind. */
  function offerUndo(verb: MappingVerb, results: readonly RowOutcome[], rows: readonly MappingView[]) {
    const back = inverse(verb, tab === 'approved');
    const done = results.flatMap(({ id, outcome, revision }) =>
      outcome === 'done' && revision !== undefined ? [{ id, revision }] : [],
    );
    if (back === undefined || done.length === 0) return;
    const text = verb === 'delete' && tab === 'approved' ? 'Deletion requested' : VERB_WORDS[verb].done;
    onUndoable({
      text: `${text}: ${mappingsText(done.length)}.`,
      undo: async () => {
        const { results: undone } = await reviewMappings(crosswalk.id, back, { rows: done });
        await reload();
        if (undone.some(({ outcome }) => outcome === 'refused')) await show('Undone as far as possible', undone, rows);
      },
    });
  }

  async function run({ verb, chosen, count, rows, onDone }: Asked, comment?: string): Promise<void> {
    const single = count === 1 ? rows[0] : undefined;
    const release = () =>
      single !== undefined && setTaken((known) => new Set([...known].filter((row) => row !== rowVersion(single))));
    if (single !== undefined) setTaken((known) => new Set([...known, rowVersion(single)]));
    setBusy(true);
    try {
      const { results } = await reviewMappings(crosswalk.id, verb, chosen, comment);
      onDone();
      offerUndo(verb, results, rows);
      const refused = results.find(({ outcome }) => outcome === 'refused');
      if (refused !== undefined) release();
      if (count > 1 || refused !== undefined) {
        await show(VERB_WORDS[verb].done, results, rows, VERB_LEVEL[verb] === 'APPROVER');
      } else notify.success(VERB_WORDS[verb].done, { description: rows.map(pairText).join(', ') });
    } catch (error) {
      release();
      notify.error(messageOf(error), { title: failedTitle(VERB_WORDS[verb].action, error) });
    } finally {
      setBusy(false);
      setAsked(undefined);
      await reload();
    }
  }

  return {
    taken,
    ask: (verb, { rows, selectionId, count, clear }) =>
      setAsked({ verb, chosen: selectionId === undefined ? { rows } : { selectionId }, count, rows, onDone: clear }),
    one: (verb, row) => run({ verb, chosen: { rows: [row] }, count: 1, rows: [row], onDone: () => undefined }),
    dialogs: (
      <>
        {asked !== undefined && (
          <CommentDialog
            title={`${VERB_WORDS[asked.verb].action} ${mappingsText(asked.count)}?`}
            description={VERB_WORDS[asked.verb].consequence}
            confirm={VERB_WORDS[asked.verb].action}
            reasonRequired={VERB_WORDS[asked.verb].reasonRequired ?? false}
            destructive={VERB_WORDS[asked.verb].destructive ?? false}
            busy={busy}
            onConfirm={(comment) => void run(asked, comment)}
            onCancel={() => setAsked(undefined)}
          />
        )}
        {outcomes !== undefined && <OutcomesDialog {...outcomes} onClose={() => setOutcomes(undefined)} />}
      </>
    ),
  };
}
