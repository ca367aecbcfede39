/** Runs a review verb on one definition, a crosswalk or a relationship: asks for confirmation, and offers to undo it. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { failedTitle, messageOf } from '../../lib/messages/index.ts';
import { CommentDialog } from '../comment-dialog/index.tsx';
import { notify } from '../toast/index.ts';
import type { Undoable } from '../undo-bar/index.tsx';
import { batchRowKey, useBatchUndo } from './batch-undo.tsx';
import { useItemLink } from './use-item-link.ts';

export interface DefinitionWords<Row> {
  action: string;
  title: string;
  description: (row: Row) => string;
  /** The verb in the past tense, for toasts and the undo bar. */
  done: string;
  reasonRequired?: boolean;
  destructive?: boolean;
}

/** The state after the command. */
interface Answer {
  commandId: string;
  deletionRequested: boolean;
  deleted: boolean;
}

/** An action on a definition that another page ran and that the list can undo. */
interface CompletedAction {
  id: number;
  text: string;
  name: string;
  commandId: string;
}

export interface DefinitionReviewOptions<Row, Verb extends string> {
  kind: 'crosswalk' | 'relationship';
  words: Readonly<Record<Verb, DefinitionWords<Row>>>;
  /** "Crosswalk deleted": the consequence of a deletion, or of approving one, instead of that of the verb. */
  deletedText: string;
  send: (row: Row, verb: Verb, comment: string | undefined) => Promise<Answer>;
  reload: (id: number) => Promise<unknown>;
  /** The list of the definitions: the page of a deleted one navigates there, and the list offers to undo the deletion. */
  list: string;
  onUndoable: (undoable: Undoable) => void;
}

export interface DefinitionReview<Row, Verb> {
  openDialog: (verb: Verb, row: Row) => void;
  dialog: ReactNode;
}

export function useDefinitionReview<Row extends { id: number; name: string }, Verb extends string>(
  options: DefinitionReviewOptions<Row, Verb>,
): DefinitionReview<Row, Verb> {
  const { list, onUndoable } = options;
  const navigate = useNavigate();
  const { pathname, search, state } = useLocation();
  const itemLink = useItemLink();
  const reviewed = useRef<CompletedAction>(undefined);
  const undo = useBatchUndo({
    labelsOf: async (rows) => new Map(rows.map((row) => [batchRowKey(row), reviewed.current?.name ?? ''])),
    reload: async () => reviewed.current && options.reload(reviewed.current.id),
  });
  const [pending, setPending] = useState<{ verb: Verb; row: Row }>();
  const [busy, setBusy] = useState(false);

  function offer(done: CompletedAction) {
    reviewed.current = done;
    onUndoable(undo.undoable(`${done.text}: ${done.name}.`, [done.commandId]));
  }

  const left = pathname === list ? (state as { done?: CompletedAction } | null)?.done : undefined;
  const offerLeft = useRef(offer);
  offerLeft.current = offer;
  useEffect(() => {
    if (left === undefined) return;
    offerLeft.current(left);
    // Offered once: returning to the list later offers no undo.
    void navigate({ pathname, search }, { replace: true, state: null });
  }, [left, navigate, pathname, search]);

  async function run(comment: string | undefined) {
    if (pending === undefined) return;
    const { verb, row } = pending;
    const words = options.words[verb];
    setBusy(true);
    try {
      const { commandId, deleted, deletionRequested } = await options.send(row, verb, comment);
      const text = deleted ? options.deletedText : deletionRequested ? 'Deletion requested' : words.done;
      const done = { id: row.id, text, name: row.name, commandId };
      const comesUnderReview = verb === 'submit' || (verb === 'delete' && !deleted);
      const item = { kind: options.kind, parentId: row.id, id: row.id };
      notify.success(text, { description: row.name, ...(comesUnderReview && { href: itemLink(item) }) });
      if (deleted && pathname !== list) void navigate(list, { state: { done } });
      else offer(done);
    } catch (error) {
      notify.error(messageOf(error), { title: failedTitle(words.action, error) });
    } finally {
      setBusy(false);
      setPending(undefined);
      await options.reload(row.id);
    }
  }

  const words = pending === undefined ? undefined : options.words[pending.verb];
  return {
    openDialog: (verb, row) => setPending({ verb, row }),
    dialog: (
      <>
        {pending !== undefined && words !== undefined && (
          <CommentDialog
            title={words.title}
            description={words.description(pending.row)}
            confirm={words.action}
            reasonRequired={words.reasonRequired ?? false}
            destructive={words.destructive ?? false}
            busy={busy}
            onConfirm={(comment) => void run(comment)}
            onCancel={() => setPending(undefined)}
          />
        )}
        {undo.dialogs}
      </>
    ),
  };
}
