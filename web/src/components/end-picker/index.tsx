/** Selects the source or the target of a crosswalk or relationship: the data set by search, then one of its fields. */
import { keyedBy } from '@rdm/contracts/reference-types/reference-types';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { dataSetQuery, fieldsQuery } from '../../lib/data-sets/index.ts';
import { DataSetPicker } from '../data-set-picker/index.tsx';
import { LabelField } from '../label-field/index.tsx';
import { Field } from '../ui/input.tsx';
import { Select } from '../ui/select.tsx';

export interface EndPickerProps {
  side: 'source' | 'target';
  /** The word for the field in the labels of the form, such as “attribute”. */
  fieldWord: string;
  dataSetId: number | undefined;
  attribute: string;
  onDataSet: (id: number) => void;
  onAttribute: (attribute: string) => void;
  dataSetError: string | undefined;
  attributeError: string | undefined;
  /** Why the data set cannot be changed. */
  dataSetFixed: string | undefined;
  attributeLocked: boolean;
  /** Absent in forms without label fields. A null `value` is the label field of the data set. */
  labelField?: { value: string | null; onChange: (name: string | null) => void };
}

export function EndPicker(props: EndPickerProps) {
  const { fieldWord, dataSetId, attribute, onAttribute } = props;
  const side = props.side === 'source' ? 'Source' : 'Target';
  const chosenDataSet = useQuery(dataSetQuery(dataSetId));
  const fields = useQuery(fieldsQuery(chosenDataSet.data?.typeId));
  const key = chosenDataSet.data?.primaryKeyField;

  // Preselects the key field, because most ends use it.
  useEffect(() => {
    if (attribute === '' && typeof key === 'string') onAttribute(key);
  }, [attribute, key, onAttribute]);

  return (
    <fieldset className="flex min-w-0 flex-col gap-3 rounded-md border border-hairline bg-surface p-3">
      <legend className="px-1 font-medium text-sm">{side}</legend>
      <DataSetPicker
        label={`${side} data set`}
        dataSetId={dataSetId}
        // Creating a crosswalk or relationship requires WRITE on its source.
        level={props.side === 'source' ? 'WRITE' : 'READ'}
        onChange={props.onDataSet}
        error={props.dataSetError}
        fixed={props.dataSetFixed}
      />
      <Field label={`${side} ${fieldWord}`} required error={props.attributeError}>
        {(control) => (
          <Select
            {...control}
            className="w-full"
            disabled={props.attributeLocked || fields.data === undefined}
            value={attribute === '' ? undefined : attribute}
            onValueChange={onAttribute}
            placeholder={dataSetId === undefined ? 'Choose the data set first' : 'Choose a field…'}
            options={keyedBy(fields.data ?? [], chosenDataSet.data?.primaryKeyFields ?? []).map(
              ({ name, dataType, isPrimaryKey }) => ({
                value: name,
                label: `${name} (${dataType}${isPrimaryKey ? ', key' : ''})`,
              }),
            )}
          />
        )}
      </Field>
      {props.labelField !== undefined && (
        <LabelField
          label={`${side} label field`}
          hint="The value of this field is shown beside the code and is compared to find suggestions."
          noFieldLabel={
            chosenDataSet.data?.labelField == null
              ? 'As in the data set'
              : `As in the data set (${chosenDataSet.data.labelField})`
          }
          typeId={chosenDataSet.data?.typeId}
          {...props.labelField}
        />
      )}
    </fieldset>
  );
}
