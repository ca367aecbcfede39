/**
 * Runs a review verb on one definition, which is a crosswalk or a relationship. Requests confirmation first, and offers
 * an undo afterwards.
 */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { write } from '../../lib/api/index.ts';
import { type DefinitionName, definitionPath } from '../../lib/definitions/index.ts';
import { failedTitle, messageOf } from '../../lib/messages/index.ts';
import { CommentDialog } from '../comment-dialog/index.tsx';
import { notify } from '../toast/index.ts';
import type { Undoable } from '../undo-bar/index.tsx';
import { Approvers } from './approvers.tsx';
import { batchRowKey, useBatchUndo } from './batch-undo.tsx';
import type { Definition, DefinitionKind } from './definition-kind.ts';
import { useItemLink } from './use-item-link.ts';
import type { RowVerb } from './verbs.ts';

/** The response: the state of the definition after the command. */
interface Answer {
  commandId: string;
  deletionRequested: boolean;
  deleted: boolean;
}

/** A completed action that can be undone. The page of a deleted definition passes the action to the list. */
interface CompletedAction {
  id: number;
  text: string;
  name: string;
  commandId: string;
}

function send(
  name: DefinitionName,
  { id, revision }: Definition,
  verb: RowVerb,
  comment: string | undefined,
): Promise<Answer> {
  const path = definitionPath(name, id);
  return verb === 'delete'
    ? write('DELETE', path, { comment }, { revision })
    : write('POST', `${path}/${verb}`, { comment }, { revision });
}

export interface DefinitionReview<Row, Verb> {
  openDialog: (verb: Verb, row: Row) => void;
  dialog: ReactNode;
}

export function useDefinitionReview<Row extends Definition, Verb extends RowVerb>(
  kind: DefinitionKind<Row, Verb>,
  onUndoable: (undoable: Undoable) => void,
): DefinitionReview<Row, Verb> {
  const list = `/${kind.name}s`;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { pathname, search, state } = useLocation();
  const itemLink = useItemLink();
  const lastAction = useRef<CompletedAction>(undefined);
  const undo = useBatchUndo({
    labelsOf: async (rows) => new Map(rows.map((row) => [batchRowKey(row), lastAction.current?.name ?? ''])),
    reload: async () => lastAction.current && kind.reload(queries, lastAction.current.id),
  });
  const [pending, setPending] = useState<{ verb: Verb; row: Row }>();
  const [busy, setBusy] = useState(false);

  function offerUndo(action: CompletedAction) {
    lastAction.current = action;
    onUndoable(undo.undoable(`${action.text}: ${action.name}.`, [action.commandId]));
  }

  const finishedAction = pathname === list ? (state as { done?: CompletedAction } | null)?.done : undefined;
  const latestOfferUndo = useRef(offerUndo);
  latestOfferUndo.current = offerUndo;
  useEffect(() => {
    if (finishedAction === undefined) return;
    latestOfferUndo.current(finishedAction);
    // Removes the action from the navigation state, so that a later return to the list does not offer the undo again.
    void navigate({ pathname, search }, { replace: true, state: null });
  }, [finishedAction, navigate, pathname, search]);

  async function run(comment: string | undefined) {
    if (pending === undefined) return;
    const { verb, row } = pending;
    const words = kind.words[verb];
    setBusy(true);
    try {
      const { commandId, deleted, deletionRequested } = await send(kind.name, row, verb, comment);
      // After an error the dialog stays open with its comment.
      setPending(undefined);
      const text = deleted ? `${kind.title} deleted` : deletionRequested ? 'Deletion requested' : words.done;
      const action = { id: row.id, text, name: row.name, commandId };
      const comesUnderReview = verb === 'submit' || (verb === 'delete' && !deleted);
      const item = { kind: kind.name, parentId: row.id, id: row.id };
      notify.success(text, { description: row.name, ...(comesUnderReview && { href: itemLink(item) }) });
      if (deleted && pathname !== list) void navigate(list, { state: { done: action } });
      else offerUndo(action);
    } catch (error) {
      notify.error(messageOf(error), { title: failedTitle(words.action, error) });
    } finally {
      setBusy(false);
      await kind.reload(queries, row.id);
    }
  }

  const words = pending === undefined ? undefined : kind.words[pending.verb];
  return {
    openDialog: (verb, row) => setPending({ verb, row }),
    dialog: (
      <>
        {pending !== undefined && words !== undefined && (
          <CommentDialog
            title={words.title}
            description={
              <>
                <strong className="font-medium">{pending.row.name}</strong>
                <br />
                {words.description(pending.row)}
              </>
            }
            details={pending.verb === 'submit' && <Approvers of={{ kind: kind.name, id: pending.row.id }} />}
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
