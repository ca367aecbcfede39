/**
 * The actions of a status tab on its rows: in the menu, by shortcut and in bulk. Actions that the review lifecycle
 * forbids are disabled and show the reason.
 */
import { REVIEW_REFUSALS, type ReviewVerb } from '@rdm/contracts/review/approval';
import { History, Pencil } from 'lucide-react';
import type { BulkAction, RowAction } from '../data-grid/index.ts';
import type { Review } from './use-review.tsx';
import {
  bulkRefusal,
  isEditable,
  type ReviewStatus,
  type RowVerb,
  TAB_LETTERS,
  TAB_VERBS,
  VERB_ICONS,
  type VerbWords,
} from './verbs.ts';

export interface TabActionsOptions<Row> {
  /** The tab that determines the verbs of a row. In a list of several statuses, this is the tab of the row's status. */
  tabOf: (row: Row) => ReviewStatus;
  /** The bulk actions: the verbs, and the tab that determines their labels. */
  bulk: { verbs: readonly RowVerb[]; tab: ReviewStatus };
  /** The counts of approved and served rows of the definition; undefined in a list of several definitions. */
  counts?: { approved: number; served: number } | undefined;
  words: Record<RowVerb, VerbWords>;
  review: Review<Row>;
  /** Why the user may not apply the verb to the row; undefined if they may. */
  refusalOf: (verb: ReviewVerb, row: Row) => string | undefined;
  isServed: (row: Row) => boolean;
  mayWrite: (row: Row) => boolean;
  /** Whether the row has a warning for the verb, so that the verb opens a confirmation first. */
  hasWarning?: (verb: RowVerb, row: Row) => boolean;
  editLabel: string;
  onEdit: (row: Row) => void;
  onHistory: (row: Row) => void;
}

export interface TabActions<Row> {
  actionsOf: (row: Row) => readonly RowAction<Row>[];
  bulk: readonly BulkAction<Row>[];
  /**
   * Runs the action of a letter; with Shift, a verb opens its dialog first. Returns false if no action runs.
   */
  onLetter: (letter: string, row: Row, shift: boolean) => boolean;
}

/** The verbs with a further menu item that requests a comment. */
const COMMENTED_VERBS: ReadonlySet<RowVerb> = new Set(['submit', 'approve']);

/** The verbs that act immediately on a row without a warning. All other verbs open a dialog. */
const IMMEDIATE_VERBS: ReadonlySet<RowVerb> = new Set(['submit', 'approve', 'recall', 'delete', 'restore']);

export interface BulkActionsOptions<Row> {
  verbs: readonly RowVerb[];
  words: Record<RowVerb, VerbWords>;
  review: Review<Row>;
  refusalOf: (verb: RowVerb, row: Row) => string | undefined;
  /** Why the verb applies to no row of the list; undefined if it can apply to some rows. */
  refusalOfAll?: (verb: RowVerb) => string | undefined;
  labelOf?: (verb: RowVerb) => string;
}

/**
 * Returns the bulk actions. A verb is disabled if no selected row allows it. If all matching rows are selected,
 * `refusalOfAll` decides, because only the server can check each row.
 */
export const bulkActions = <Row>(options: BulkActionsOptions<Row>): readonly BulkAction<Row>[] =>
  options.verbs.map((verb) => ({
    label: options.labelOf?.(verb) ?? options.words[verb].action,
    icon: VERB_ICONS[verb],
    destructive: options.words[verb].destructive ?? false,
    onSelect: (selection) => options.review.openDialog(verb, selection),
    unavailable: ({ rows, selectionId }) =>
      selectionId === undefined
        ? bulkRefusal(rows, (row) => options.refusalOf(verb, row))
        : options.refusalOfAll?.(verb),
  }));

export function tabActions<Row>(options: TabActionsOptions<Row>): TabActions<Row> {
  const { words, review, refusalOf, isServed, onEdit, onHistory, counts } = options;

  // If only rows of the tab Approved are served, there is no newer draft to discard.
  const refusalOfAll = (verb: RowVerb) =>
    verb === 'discard' && counts !== undefined && counts.served <= counts.approved
      ? REVIEW_REFUSALS.NO_CANDIDATE
      : undefined;

  const openDialog = (verb: RowVerb, row: Row) =>
    review.openDialog(verb, { rows: [row], selectionId: undefined, count: 1, clear: () => undefined });

  function act(verb: RowVerb, row: Row) {
    if (IMMEDIATE_VERBS.has(verb) && options.hasWarning?.(verb, row) !== true) void review.applyToRow(verb, row);
    else openDialog(verb, row);
  }

  const appearanceOf = (verb: RowVerb, tab: ReviewStatus) => ({
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
        // Discard returns a row to its served value. Delete is for approved rows and for rows without a served value.
        .filter((verb) => verb !== 'discard' || isServed(row))
        .filter((verb) => verb !== 'delete' || !isServed(row) || tab === 'approved')
        .map(
          (verb): RowAction<Row> => ({
            ...appearanceOf(verb, tab),
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
      // Submit and Approve act without a comment, so a second menu item lets the user add a comment.
      const commentItems = TAB_VERBS[tab]
        .filter((verb) => COMMENTED_VERBS.has(verb))
        .map(
          (verb): RowAction<Row> => ({
            label: `${words[verb].action} with comment…`,
            icon: VERB_ICONS[verb],
            onSelect: () => openDialog(verb, row),
            unavailable: refusalOf(verb, row),
          }),
        );
      if (tab === 'approved' || tab === 'rejected') return [edit, ...verbs, history];
      const leadingCount = isEditable(tab) ? 1 : 2;
      return [
        ...verbs.slice(0, leadingCount),
        ...(isEditable(tab) ? [edit] : []),
        ...commentItems,
        ...verbs.slice(leadingCount),
        history,
      ];
    },
    bulk: bulkActions({
      verbs: options.bulk.verbs,
      words,
      review,
      refusalOf,
      refusalOfAll,
      labelOf: (verb) => appearanceOf(verb, options.bulk.tab).label,
    }),
    onLetter(letter, row, shift) {
      const tab = options.tabOf(row);
      const verb = TAB_LETTERS[tab][letter];
      if (letter === 'h') onHistory(row);
      else if (letter === 'e' && isEditable(tab) && refusalOf('edit', row) === undefined) onEdit(row);
      else if (verb !== undefined && refusalOf(verb, row) === undefined) (shift ? openDialog : act)(verb, row);
      else return false;
      return true;
    },
  };
}
