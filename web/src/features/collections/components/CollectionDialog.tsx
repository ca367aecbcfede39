/** Name, description and tags of a collection, new or being edited. */
import { type CollectionView, CreateCollection } from '@rdm/contracts/access';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeCollection, createCollection, reloadCollections } from '../api/collections.ts';
import { asTags } from './tags.ts';

const FORM = 'collection';

export interface CollectionDialogProps {
  /** Undefined for a new one. */
  collection?: CollectionView;
  onClose: () => void;
  onCreated?: (id: number) => void;
}

export function CollectionDialog({ collection, onClose, onCreated }: CollectionDialogProps) {
  const queries = useQueryClient();
  const [name, setName] = useState(collection?.name ?? '');
  const [description, setDescription] = useState(collection?.description ?? '');
  const [tags, setTags] = useState(collection?.tags.join(', ') ?? '');
  const [checked, setChecked] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  /** What the person saw when they began: a later change by others must not be overwritten unseen. */
  const [seen] = useState(collection?.revision ?? 0);
  const parsed = CreateCollection.safeParse({ name, description, tags: asTags(tags) });
  const problemOf = (field: string) =>
    checked ? parsed.error?.issues.find((issue) => issue.path[0] === field)?.message : undefined;

  async function save(event: FormEvent) {
    event.preventDefault();
    setChecked(true);
    if (!parsed.success) return;
    setBusy(true);
    setProblem(undefined);
    try {
      if (collection === undefined) {
        const created = await createCollection(parsed.data);
        notify.success('Collection created', { description: name, href: `/collections/${created.id}` });
        onCreated?.(created.id);
      } else {
        await changeCollection(collection.id, seen, parsed.data);
        notify.success('Collection saved', { description: name });
      }
      await reloadCollections(queries);
      onClose();
    } catch (error) {
      const stale = error instanceof ApiError && error.code === 'STALE';
      setProblem(stale ? `${messageOf(error)}. Close this dialog and open it again to see it.` : messageOf(error));
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={collection === undefined ? 'Create a collection' : `Edit ${collection.name}`}
      description="Data sets that belong together; its permissions say who may read and change them."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            {collection === undefined ? 'Create collection' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <Field label="Name" required error={problemOf('name')}>
          {(control) => <Input {...control} required value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label="Description" error={problemOf('description')}>
          {(control) => (
            <Textarea {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
          )}
        </Field>
        <Field label="Tags" hint="Separated by commas." error={problemOf('tags')}>
          {(control) => <Input {...control} value={tags} onChange={(event) => setTags(event.target.value)} />}
        </Field>
      </form>
    </Dialog>
  );
}
