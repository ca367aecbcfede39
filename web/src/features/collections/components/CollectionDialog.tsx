/** Creates or edits a collection: its name, description and tags. */
import { type CollectionView, CreateCollection } from '@rdm/contracts/collections/collections';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { NameDialog } from '../../../components/name-dialog/index.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { changeCollection, createCollection, reloadCollections } from '../api/collections.ts';
import { parseTags } from './tags.ts';

export interface CollectionDialogProps {
  /** Undefined for a new collection. */
  collection?: CollectionView;
  onClose: () => void;
  onCreated?: (id: number) => void;
}

export function CollectionDialog({ collection, onClose, onCreated }: CollectionDialogProps) {
  const queries = useQueryClient();
  /** The collection when the dialog opened. Its revision prevents a save from overwriting a later change. */
  const [storedCollection] = useState(collection);
  const storedTags = storedCollection?.tags.join(', ') ?? '';
  const [tags, setTags] = useState(storedTags);

  async function save(values: CreateCollection) {
    if (storedCollection !== undefined) {
      await changeCollection(storedCollection.id, storedCollection.revision, values);
      await reloadCollections(queries);
      return undefined;
    }
    const { id } = await createCollection(values);
    await reloadCollections(queries);
    onCreated?.(id);
    return `/collections/${id}`;
  }

  return (
    <NameDialog
      noun="collection"
      description="A group of data sets with shared permissions."
      stored={storedCollection}
      otherValues={{ tags: parseTags(tags) }}
      hasOtherChanges={tags !== storedTags}
      schema={CreateCollection}
      save={save}
      onClose={onClose}
    >
      {(problemOf) => (
        <Field label="Tags" hint="Separated by commas." error={problemOf('tags')}>
          {(control) => <Input {...control} value={tags} onChange={(event) => setTags(event.target.value)} />}
        </Field>
      )}
    </NameDialog>
  );
}
