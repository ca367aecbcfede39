/**
 * Saves the definition that a form edits. Changes by another user are merged. If both users changed the same field, the
 * user chooses its value.
 */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { ApiError, write } from '../../lib/api/index.ts';
import { changedFields, type Merge, mergeEdits, type Overlap } from '../../lib/conflict/index.ts';
import { currentDefinition, definitionPath } from '../../lib/definitions/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { ConflictDialog } from '../conflict/index.tsx';
import { SAVED } from '../leave-guard/index.tsx';
import { type Definition, type DefinitionKind, rowsPath } from '../review/definition-kind.ts';
import type { RowVerb } from '../review/verbs.ts';
import { notify } from '../toast/index.ts';
import { showProblem } from './form.tsx';

export interface DefinitionEditOptions<Row extends Definition, Verb extends RowVerb, Edit> {
  kind: DefinitionKind<Row, Verb>;
  definition: Row;
  /** Returns the editable fields of a definition. */
  editOf: (stored: Row) => Edit;
  labels: Record<keyof Edit & string, string>;
  /** Converts the values of an overlap for display. */
  displayOverlap?: (overlap: Overlap<keyof Edit & string>) => Overlap<keyof Edit & string>;
}

export interface DefinitionEdit<Row, Edit> {
  /** The definition as it was when the form opened. The user's changes are relative to this version. */
  base: Row;
  /**
   * Saves the definition and navigates to its rows. Returns undefined after a save, `{}` if another user saved first,
   * and the problem if saving failed.
   */
  save: (mine: Edit) => Promise<{ problem?: string } | undefined>;
  dialog: ReactNode;
}

export function useDefinitionEdit<Row extends Definition, Verb extends RowVerb, Edit extends { name: string }>({
  kind,
  definition,
  editOf,
  labels,
  displayOverlap = (overlap) => overlap,
}: DefinitionEditOptions<Row, Verb, Edit>): DefinitionEdit<Row, Edit> {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [base] = useState(definition);
  const [conflict, setConflict] = useState<{ theirs: Row; merge: Merge<Edit>; mine: Edit }>();
  const { id } = base;

  async function store(before: Row, after: Edit): Promise<void> {
    const change = changedFields(editOf(before), after);
    if (Object.keys(change).length > 0) {
      await write('PATCH', definitionPath(kind.name, id), change, { revision: before.revision });
    }
    notify.success(`${kind.title} saved`, { description: after.name });
    void kind.reload(queries, id);
    void navigate(rowsPath(kind, id), { state: SAVED });
  }

  async function save(mine: Edit): Promise<{ problem?: string } | undefined> {
    try {
      await store(base, mine);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'STALE') return mergeWithTheirs(mine);
      return showProblem(kind.name, error);
    }
  }

  /** Saves the changes of both users, or opens a dialog if both changed the same field. */
  async function mergeWithTheirs(mine: Edit): Promise<{ problem?: string }> {
    try {
      const theirs = await currentDefinition<Row>(kind.name, id);
      const merge = mergeEdits(editOf(base), mine, editOf(theirs));
      if (merge.overlaps.length > 0) setConflict({ theirs, merge, mine });
      else await store(theirs, merge.merged);
      return {};
    } catch (error) {
      return showProblem(kind.name, error);
    }
  }

  function resolve({ theirs, merge, mine }: NonNullable<typeof conflict>, ownFields: ReadonlySet<keyof Edit & string>) {
    const resolvedEdit = { ...merge.merged };
    for (const field of ownFields) resolvedEdit[field] = mine[field];
    setConflict(undefined);
    void store(theirs, resolvedEdit).catch((error: unknown) =>
      notify.error(messageOf(error), { title: `The ${kind.name} was not saved` }),
    );
  }

  return {
    base,
    save,
    dialog: conflict !== undefined && (
      <ConflictDialog
        overlaps={conflict.merge.overlaps.map(displayOverlap)}
        labels={labels}
        onCancel={() => setConflict(undefined)}
        onResolve={(ownFields) => resolve(conflict, ownFields)}
      />
    ),
  };
}
