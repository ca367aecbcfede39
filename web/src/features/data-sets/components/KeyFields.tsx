/** Lets the user choose which fields of the type are the key of the data set; the default is the key of the type. */
import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useId } from 'react';
import { Badge } from '../../../components/ui/badge.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { fieldsQuery } from '../api/data-sets.ts';

export interface KeyFieldsProps {
  typeId: number | undefined;
  /** The names of the key fields; undefined if the data set uses the key of the type. */
  value: readonly string[] | undefined;
  onChange: (names: string[] | undefined) => void;
  locked: boolean;
  error: string | undefined;
}

export function KeyFields({ typeId, value, onChange, locked, error }: KeyFieldsProps) {
  const { data: fields } = useQuery(fieldsQuery(typeId));
  const descriptionId = useId();
  if (fields === undefined) return null;
  const typeKeyNames = fields.filter(({ isPrimaryKey }) => isPrimaryKey).map(({ name }) => name);
  const keyNames = new Set(value ?? typeKeyNames);

  function toggle(name: string, isKey: boolean) {
    const names =
      fields
        ?.map((field) => field.name)
        .filter((fieldName) => (fieldName === name ? isKey : keyNames.has(fieldName))) ?? [];
    const isDefault = names.length === typeKeyNames.length && names.every((key) => typeKeyNames.includes(key));
    onChange(isDefault ? undefined : names);
  }

  const hint = locked
    ? 'The key fields cannot be changed: they identify the rows.'
    : keyNames.size === 0
      ? 'Choose at least one field.'
      : keyNames.size > 1
        ? 'Together these fields identify a row. They cannot be replaced by other fields after the data set is created.'
        : 'This field identifies a row. It cannot be replaced by another field after the data set is created.';
  return (
    <fieldset
      aria-describedby={descriptionId}
      className="flex min-w-0 flex-col gap-2 rounded-md border border-hairline p-3"
    >
      <legend className="px-1 font-medium text-sm">Primary key</legend>
      <ul className="flex flex-wrap gap-x-4 gap-y-2">
        {fields.map(({ fieldId, name, dataType }) => (
          <li key={fieldId} className="min-w-0">
            {locked ? (
              <Badge tone={keyNames.has(name) ? 'accent' : 'outline'}>
                {keyNames.has(name) && <KeyRound role="img" aria-label="Key" className="size-3" />}
                <span className="font-mono">{name}</span>: {dataType}
              </Badge>
            ) : (
              <LabelledCheckbox
                checked={keyNames.has(name)}
                onCheckedChange={(ticked) => toggle(name, ticked === true)}
                label={
                  <span className="break-words">
                    <span className="font-mono">{name}</span> <span className="text-muted">{dataType}</span>
                  </span>
                }
              />
            )}
          </li>
        ))}
      </ul>
      <p
        id={descriptionId}
        role={keyNames.size === 0 ? 'alert' : undefined}
        className={error || keyNames.size === 0 ? 'text-danger-text text-xs' : 'text-muted text-xs'}
      >
        {error ?? hint}
      </p>
    </fieldset>
  );
}
