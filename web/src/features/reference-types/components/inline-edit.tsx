/** Edits the name and description of a type in its row of the list, and resolves conflicts with other users. */
import type { ReferenceTypeView } from '@rdm/contracts/reference-types/reference-types';
import { useQueryClient } from '@tanstack/react-query';
import { createContext, useContext, useState } from 'react';
import { notify } from '../../../components/toast/index.ts';
import { Input } from '../../../components/ui/input.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { mergeEdits, type Overlap } from '../../../lib/conflict/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeType, reloadTypes } from '../api/types.ts';

export interface Details {
  name: string;
  description: string;
}

export interface InlineEditing {
  id: number;
  /** The record as it was when the edit started or, after a merge, the version of the other user. */
  base: Details;
  revision: number;
  draft: Details;
  problem: string | undefined;
  busy: boolean;
}

export interface Conflict {
  theirs: Details;
  revision: number;
  merged: Details;
  overlaps: Overlap<keyof Details>[];
}

const detailsOf = ({ name, description }: { name: string; description?: string | null }): Details => ({
  name,
  description: description ?? '',
});

export function useInlineEdit() {
  const queries = useQueryClient();
  const [editing, setEditing] = useState<InlineEditing>();
  const [conflict, setConflict] = useState<Conflict>();

  async function send(edit: InlineEditing, draft: Details, revision: number): Promise<void> {
    setEditing({ ...edit, draft, busy: true, problem: undefined });
    try {
      await changeType(edit.id, revision, { name: draft.name.trim(), description: draft.description.trim() });
    } catch (error) {
      const current = staleRecord(error);
      if (current === undefined) {
        notify.error('Failed to update reference type');
        setEditing({ ...edit, draft, busy: false, problem: messageOf(error) });
        return;
      }
      const theirs = detailsOf(current);
      const { merged, overlaps } = mergeEdits(edit.base, draft, theirs);
      if (overlaps.length === 0) return send({ ...edit, base: theirs }, merged, current.revision);
      setEditing({ ...edit, draft, busy: false, problem: undefined });
      setConflict({ theirs, revision: current.revision, merged, overlaps });
      return;
    }
    setEditing(undefined);
    notify.success('Reference type updated successfully');
    await reloadTypes(queries);
  }

  return {
    editing,
    conflict,
    begin: (type: ReferenceTypeView) => {
      const details = detailsOf(type);
      setEditing({
        id: type.id,
        base: details,
        revision: type.revision,
        draft: details,
        problem: undefined,
        busy: false,
      });
    },
    change: (edit: Partial<Details>) =>
      setEditing((current) => (current === undefined ? current : { ...current, draft: { ...current.draft, ...edit } })),
    cancel: () => setEditing(undefined),
    save: () => {
      if (editing === undefined || editing.busy) return;
      if (editing.draft.name.trim() === '') setEditing({ ...editing, problem: 'Name is required' });
      else void send(editing, editing.draft, editing.revision);
    },
    resolve: (mine: ReadonlySet<keyof Details>) => {
      if (editing === undefined || conflict === undefined) return;
      const chosen = { ...conflict.merged };
      for (const { field } of conflict.overlaps)
        chosen[field] = (mine.has(field) ? editing.draft : conflict.theirs)[field];
      setConflict(undefined);
      void send({ ...editing, base: conflict.theirs }, chosen, conflict.revision);
    },
    closeConflict: () => setConflict(undefined),
  };
}

export type InlineEdit = ReturnType<typeof useInlineEdit>;

/** Returns the current record of a STALE error; else undefined. */
function staleRecord(error: unknown): (Details & { revision: number }) | undefined {
  if (!(error instanceof ApiError) || error.code !== 'STALE') return undefined;
  return (error.details as { current?: Details & { revision: number } } | undefined)?.current;
}

export const InlineEditContext = createContext<InlineEdit | undefined>(undefined);

/** A cell that becomes a text field while its row is edited. */
export function EditableCell({ type, field, empty }: { type: ReferenceTypeView; field: keyof Details; empty: string }) {
  const inline = useContext(InlineEditContext);
  const editing = inline?.editing;
  if (inline === undefined || editing?.id !== type.id) {
    const text = type[field];
    return text === '' || text === null ? <span className="text-muted">{empty}</span> : text;
  }
  const isName = field === 'name';
  return (
    <div className="py-1">
      <Input
        autoFocus={isName}
        aria-label={isName ? 'Name' : 'Description'}
        aria-invalid={(isName && editing.problem !== undefined) || undefined}
        className="h-7 border-l-2 border-l-accent"
        value={editing.draft[field]}
        disabled={editing.busy}
        onChange={(event) => inline.change({ [field]: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Enter') inline.save();
          if (event.key === 'Escape') inline.cancel();
        }}
      />
      {isName && editing.problem !== undefined && (
        <p role="alert" className="whitespace-normal text-danger-text text-xs">
          {editing.problem}
        </p>
      )}
    </div>
  );
}
