/** Chooses one end of what joins two data sets: the data set by search, then one of its fields. */
import type { Level } from '@rdm/contracts/permissions';
import { keyedBy } from '@rdm/contracts/reference-types';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { dataSetChoicesQuery, dataSetQuery, fieldsQuery } from '../../lib/data-sets/index.ts';
import { grouped } from '../../lib/grouped.ts';
import { useSearchText } from '../../lib/paused/index.ts';
import { Combobox } from '../ui/combobox.tsx';
import { Field } from '../ui/input.tsx';
import { Select } from '../ui/select.tsx';

export interface EndPickerProps {
  side: 'Source' | 'Target';
  /** What its field is called: “attribute”. */
  fieldWord: string;
  dataSetId: number | undefined;
  attribute: string;
  /** The level that this end needs. */
  level: Level;
  onDataSet: (id: number) => void;
  onAttribute: (attribute: string) => void;
  dataSetError: string | undefined;
  attributeError: string | undefined;
  /** Why the data set stays as it is. */
  dataSetFixed: string | undefined;
  attributeLocked: boolean;
}

export function EndPicker(props: EndPickerProps) {
  const { side, fieldWord, dataSetId, attribute, level, onAttribute } = props;
  const { search, setSearch, asked, isAnswered } = useSearchText();
  const choices = useQuery(dataSetChoicesQuery(asked, level));
  const chosen = useQuery(dataSetQuery(dataSetId));
  const fields = useQuery(fieldsQuery(chosen.data?.typeId));
  const key = chosen.data?.primaryKeyField;

  // Most are joined by their keys: the field is proposed, not hidden.
  useEffect(() => {
    if (attribute === '' && typeof key === 'string') onAttribute(key);
  }, [attribute, key, onAttribute]);

  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-hairline bg-surface p-3">
      <legend className="px-1 font-medium text-sm">{side}</legend>
      <Field
        label={`${side} data set`}
        required
        error={props.dataSetError}
        hint={
          props.dataSetFixed ??
          (chosen.data === undefined
            ? level === 'WRITE'
              ? 'Those in which you may write.'
              : 'Those that you may read.'
            : `${chosen.data.typeName}, ${grouped(chosen.data.instanceCount)} rows`)
        }
      >
        {(control) => (
          <Combobox
            {...control}
            label={`${side} data sets`}
            disabled={props.dataSetFixed !== undefined}
            value={dataSetId === undefined ? undefined : String(dataSetId)}
            shown={chosen.data?.name ?? (dataSetId === undefined ? undefined : '…')}
            onValueChange={(value) => props.onDataSet(Number(value))}
            search={search}
            onSearchChange={setSearch}
            loading={!isAnswered(choices)}
            empty="No data set fits."
            options={(choices.data?.items ?? []).map(({ id, name, typeName }) => ({
              value: String(id),
              label: name,
              detail: typeName,
            }))}
          />
        )}
      </Field>
      <Field label={`${side} ${fieldWord}`} required error={props.attributeError}>
        {(control) => (
          <Select
            {...control}
            className="w-full"
            disabled={props.attributeLocked || fields.data === undefined}
            value={attribute === '' ? undefined : attribute}
            onValueChange={onAttribute}
            placeholder={dataSetId === undefined ? 'Choose the data set first' : 'Choose a field…'}
            options={keyedBy(fields.data ?? [], chosen.data?.primaryKeyFields ?? []).map(
              ({ name, dataType, isPrimaryKey }) => ({
                value: name,
                label: `${name} (${dataType}${isPrimaryKey ? ', key' : ''})`,
              }),
            )}
          />
        )}
      </Field>
    </fieldset>
  );
}
