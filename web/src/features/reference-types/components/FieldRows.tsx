/** The fields of a schema as rows of a form: name, data type, primary key, and a button that removes the field. */
import { DATA_TYPES, type DataType } from '@rdm/contracts/text/rows';
import { Lock, Plus, Trash2, Undo2 } from 'lucide-react';
import { type KeyboardEvent, useState } from 'react';
import { Button } from '../../../components/ui/button.tsx';
import { Checkbox } from '../../../components/ui/checkbox.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';

export interface DraftField {
  /** Identifies the field within this form. */
  key: number;
  /** Absent for a new field. */
  fieldId?: number;
  name: string;
  dataType: DataType;
  isPrimaryKey: boolean;
  /** Why only the name of the field can be changed; undefined if the whole field can be changed. */
  lockedReason?: string | undefined;
  /** Why the field cannot be removed although it can be changed. */
  notRemovableReason?: string | undefined;
  retired: boolean;
}

/** A new field without a name; `key` must be unused in the form. */
export const newField = (key: number, isPrimaryKey = false): DraftField => ({
  key,
  name: '',
  dataType: 'string',
  isPrimaryKey,
  retired: false,
});

/** The fields for the request, without removed fields. New fields have no id. */
export const asSchemas = (fields: readonly DraftField[]) =>
  fields
    .filter((field) => !field.retired)
    .map(({ fieldId, name, dataType, isPrimaryKey }) => ({
      ...(fieldId === undefined ? {} : { fieldId }),
      name: name.trim(),
      dataType,
      isPrimaryKey,
    }));

export interface FieldRowsProps {
  fields: readonly DraftField[];
  /** Whether empty names are marked as missing. */
  checked: boolean;
  /** Whether no field can become or stop being a primary key, because data sets with this key exist. */
  keyLocked?: boolean;
  mayAdd?: boolean;
  onChange: (fields: DraftField[]) => void;
}

export function FieldRows({ fields, checked, keyLocked = false, mayAdd = true, onChange }: FieldRowsProps) {
  /** The last added field, which gets the focus. */
  const [addedKey, setAddedKey] = useState<number>();
  const change = (key: number, edit: Partial<DraftField>) =>
    onChange(fields.map((field) => (field.key === key ? { ...field, ...edit } : field)));
  const remainingCount = fields.filter((field) => !field.retired).length;

  /** Removes a field. An existing field is only marked as removed, and can be restored until the form is saved. */
  function remove(field: DraftField) {
    if (field.fieldId === undefined) onChange(fields.filter(({ key }) => key !== field.key));
    else change(field.key, { retired: true });
  }

  function add() {
    const key = Math.max(0, ...fields.map((field) => field.key)) + 1;
    setAddedKey(key);
    onChange([...fields, newField(key)]);
  }

  /**
   * On Enter, focuses the name of the next field instead of submitting the form. In a named last field, Enter adds a
   * field.
   */
  function focusNextName(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    const next = event.currentTarget.closest('li')?.nextElementSibling?.querySelector('input');
    if (next) next.focus();
    else if (mayAdd && event.currentTarget.value.trim() !== '') add();
  }

  return (
    <>
      <ul className="flex flex-col gap-2">
        {fields.map((field, index) => {
          const label = field.name.trim() === '' ? `Field ${index + 1}` : field.name;
          const locked = field.lockedReason !== undefined;
          const notRemovableReason = field.lockedReason ?? field.notRemovableReason;
          return (
            <li key={field.key} className={cn('flex flex-wrap items-center gap-2', field.retired && 'opacity-60')}>
              {/* On a narrow screen the name is on its own line, and the actions are at the end of the next line. */}
              <Input
                className={cn('min-w-32 flex-1 max-sm:basis-full', field.retired && 'line-through')}
                aria-label={`Name of field ${index + 1}`}
                aria-invalid={(checked && !field.retired && field.name.trim() === '') || undefined}
                placeholder="Field name"
                value={field.name}
                disabled={field.retired}
                autoFocus={field.key === addedKey}
                onKeyDown={focusNextName}
                onChange={(event) => change(field.key, { name: event.target.value })}
              />
              <Select
                className="w-28"
                aria-label={`Data type of ${label}`}
                value={field.dataType}
                disabled={field.retired || locked}
                onValueChange={(dataType) => change(field.key, { dataType })}
                options={DATA_TYPES.map((value) => ({ value, label: value }))}
              />
              <div className="flex items-center gap-1.5">
                <Checkbox
                  id={`primary-key-${field.key}`}
                  aria-label={`${label} is a primary key`}
                  checked={field.isPrimaryKey}
                  disabled={field.retired || locked || keyLocked}
                  onCheckedChange={(ticked) => change(field.key, { isPrimaryKey: ticked === true })}
                />
                <label htmlFor={`primary-key-${field.key}`}>Primary key</label>
              </div>
              {field.retired ? (
                <Button
                  variant="ghost"
                  size="icon-sm"
                  className="max-sm:ml-auto"
                  aria-label={`Keep ${label}`}
                  onClick={() => change(field.key, { retired: false })}
                >
                  <Undo2 />
                </Button>
              ) : (
                <Button
                  variant="ghost"
                  size="icon-sm"
                  className="max-sm:ml-auto"
                  aria-label={notRemovableReason === undefined ? `Remove ${label}` : `${label} cannot be removed`}
                  disabled={remainingCount === 1 || notRemovableReason !== undefined}
                  onClick={() => remove(field)}
                >
                  {notRemovableReason === undefined ? <Trash2 /> : <Lock />}
                </Button>
              )}
              {notRemovableReason !== undefined && (
                <p className="basis-full text-muted text-xs">{notRemovableReason}</p>
              )}
            </li>
          );
        })}
      </ul>
      {mayAdd && (
        <Button variant="ghost" size="sm" className="self-start" onClick={add}>
          <Plus />
          Add Field
        </Button>
      )}
    </>
  );
}
