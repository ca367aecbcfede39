/** What a status tab offers on its rows: by menu, by letter and in bulk, greyed with the reason where the lifecycle forbids it. */
import type { ReviewVerb } from '@rdm/contracts/review/approval';
import { History, Pencil } from 'lucide-react';
import type { BulkAction, RowAction } from '../data-grid/index.ts';
import type { Review } from './use-review.tsx';
import {
  bulkRefusal,
  isEditable,
  type RowVerb,
  type StatusTab,
  TAB_LETTERS,
  TAB_VERBS,
  VERB_ICONS,
  type VerbWords,
} from './verbs.ts';

export interface TabActionsOptions<Row> {
  /** The tab whose verbs a row is offered: the one it is on, or where rows are mixed that of its status. */
  tabOf: (row: Row) => StatusTab;
  /** What is offered on many rows: verbs, and the tab that they are called by. */
  bulk: { verbs: readonly RowVerb[]; tab: StatusTab };
  words: Record<RowVerb, VerbWords>;
  review: Review<Row>;
  /** Why the person may not do it to the row; undefined when they may. */
  refusalOf: (verb: ReviewVerb, row: Row) => string | undefined;
  isServed: (row: Row) => boolean;
  mayWrite: (row: Row) => boolean;
  /** Something speaks against it: it asks first, though it is one key elsewhere. */
  isWarnedOf?: (verb: RowVerb, row: Row) => boolean;
  editLabel: string;
  onEdit: (row: Row) => void;
  onHistory: (row: Row) => void;
}

export interface TabActions<Row> {
  actionsOf: (row: Row) => readonly RowAction<Row>[];
  bulk: readonly BulkAction<Row>[];
  /** Does what the letter stands for, with Shift not before asking for a comment; false where it means nothing here. */
  onLetter: (letter: string, row: Row, shift: boolean) => boolean;
}

/** What an approver, or whoever submitted it, reads a comment about. */
const COMMENTED: ReadonlySet<RowVerb> = new Set(['submit', 'approve']);

/** What needs a reason, or goes far, asks first; the rest is one key. */
const AT_ONCE: ReadonlySet<RowVerb> = new Set(['submit', 'approve', 'recall', 'delete', 'restore']);

export interface BulkActionsOptions<Row> {
  verbs: readonly RowVerb[];
  words: Record<RowVerb, VerbWords>;
  review: Review<Row>;
  refusalOf: (verb: RowVerb, row: Row) => string | undefined;
  labelOf?: (verb: RowVerb) => string;
}

/** What is offered on many rows: greyed where it can be done to none of them; of all that match the server alone knows. */
export const bulkActions = <Row>(options: BulkActionsOptions<Row>): readonly BulkAction<Row>[] =>
  options.verbs.map((verb) => ({
    label: options.labelOf?.(verb) ?? options.words[verb].action,
    icon: VERB_ICONS[verb],
    destructive: options.words[verb].destructive ?? false,
    onSelect: (selection) => options.review.ask(verb, selection),
    unavailable: ({ rows, selectionId }) =>
      selectionId === undefined ? bulkRefusal(rows, (row) => options.refusalOf(verb, row)) : undefined,
  }));

export function tabActions<Row>(options: TabActionsOptions<Row>): TabActions<Row> {
  const { words, review, refusalOf, isServed, onEdit, onHistory } = options;

  const ask = (verb: RowVerb, row: Row) =>
    review.ask(verb, { rows: [row], selectionId: undefined, count: 1, clear: () => undefined });

  function act(verb: RowVerb, row: Row) {
    if (AT_ONCE.has(verb) && options.isWarnedOf?.(verb, row) !== true) void review.one(verb, row);
    else ask(verb, row);
  }

  const offered = (verb: RowVerb, tab: StatusTab) => ({
    label: verb === 'delete' && tab === 'approved' ? 'Request deletion' : words[verb].action,
    icon: VERB_ICONS[verb],
    destructive: words[verb].destructive ?? false,
  });

  return {
    actionsOf(row) {
      const history: RowAction<Row> = { label: 'History', icon: History, onSelect: onHistory };
      if (!options.mayWrite(row)) return [history];
      const tab = options.tabOf(row);
      const verbs = TAB_VERBS[tab]
        // A candidate is discarded, any other draft deleted: only one of the two is ever sensible.
        .filter((verb) => verb !== 'discard' || isServed(row))
        .filter((verb) => verb !== 'delete' || !isServed(row) || tab === 'approved')
        .map(
          (verb): RowAction<Row> => ({
            ...offered(verb, tab),
            onSelect: () => act(verb, row),
            unavailable: refusalOf(verb, row),
          }),
        );
      const edit: RowAction<Row> = {
        label: options.editLabel,
        icon: Pencil,
        onSelect: onEdit,
        unavailable: refusalOf('edit', row),
      };
      // What a key does at once may be said more about by whoever wishes to.
      const commented = TAB_VERBS[tab]
        .filter((verb) => COMMENTED.has(verb))
        .map(
          (verb): RowAction<Row> => ({
            label: `${words[verb].action} with comment…`,
            icon: VERB_ICONS[verb],
            onSelect: () => ask(verb, row),
            unavailable: refusalOf(verb, row),
          }),
        );
      if (tab === 'approved' || tab === 'rejected') return [edit, ...verbs, history];
      const usual = isEditable(tab) ? 1 : 2;
      return [
        ...verbs.slice(0, usual),
        ...(isEditable(tab) ? [edit] : []),
        ...commented,
        ...verbs.slice(usual),
        history,
      ];
    },
    bulk: bulkActions({
      verbs: options.bulk.verbs,
      words,
      review,
      refusalOf,
      labelOf: (verb) => offered(verb, options.bulk.tab).label,
    }),
    onLetter(letter, row, shift) {
      const tab = options.tabOf(row);
      const verb = TAB_LETTERS[tab][letter];
      if (letter === 'h') onHistory(row);
      else if (letter === 'e' && isEditable(tab) && refusalOf('edit', row) === undefined) onEdit(row);
      else if (verb !== undefined && refusalOf(verb, row) === undefined) (shift ? ask : act)(verb, row);
      else return false;
      return true;
    },
  };
}
