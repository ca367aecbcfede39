/** The form field for the collections of a data set: each collection has a remove button, and a list adds others. */
import type { CollectionView } from '@rdm/contracts/collections/collections';
import { useQuery } from '@tanstack/react-query';
import { X } from 'lucide-react';
import { useState } from 'react';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { collectionChoicesQuery } from '../../../lib/data-sets/index.ts';

export type NamedCollection = Pick<CollectionView, 'id' | 'name'>;

export interface CollectionsFieldProps {
  value: readonly NamedCollection[];
  onChange: (collections: NamedCollection[]) => void;
}

export function CollectionsField({ value, onChange }: CollectionsFieldProps) {
  const [search, setSearch] = useState('');
  const { data = [], isFetching } = useQuery(collectionChoicesQuery);
  const administered = data.filter(({ level }) => level === 'ADMIN');
  const mayRemove = (id: number) => administered.some((collection) => collection.id === id);
  const needle = search.toLocaleLowerCase();
  const options = administered.filter(
    ({ id, name }) => !value.some((collection) => collection.id === id) && name.toLocaleLowerCase().includes(needle),
  );
  return (
    <Field
      label="Collections"
      hint={
        value.length === 0
          ? 'Collections grant access to the data set. Without them, only administrators and its creator have access.'
          : 'Collections grant access to the data set.'
      }
    >
      {(control) => (
        <div className="flex flex-col gap-2">
          {value.length > 0 && (
            <ul className="flex flex-wrap gap-1.5">
              {value.map((collection) => (
                <li
                  key={collection.id}
                  className="flex items-center gap-1 rounded-md border border-hairline bg-hover py-0.5 pr-0.5 pl-2"
                >
                  {collection.name}
                  <button
                    type="button"
                    aria-label={`Remove from ${collection.name}`}
                    title={mayRemove(collection.id) ? undefined : 'This needs ADMIN on the collection'}
                    disabled={!mayRemove(collection.id)}
                    className="flex size-6 items-center justify-center rounded-sm text-muted hover:text-ink disabled:opacity-40"
                    onClick={() => onChange(value.filter(({ id }) => id !== collection.id))}
                  >
                    <X className="size-3.5" />
                  </button>
                </li>
              ))}
            </ul>
          )}
          <Combobox
            {...control}
            label="Collections"
            value={undefined}
            placeholder={value.length === 0 ? 'Choose a collection…' : 'Add to another collection…'}
            onValueChange={(chosen) => {
              const collection = administered.find(({ id }) => String(id) === chosen);
              if (collection !== undefined) onChange([...value, { id: collection.id, name: collection.name }]);
            }}
            search={search}
            onSearchChange={setSearch}
            loading={isFetching}
            empty="No matching collection of which you are ADMIN."
            options={options.map(({ id, name, description }) => ({
              value: String(id),
              label: name,
              detail: description,
            }))}
          />
        </div>
      )}
    </Field>
  );
}
