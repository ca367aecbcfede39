/**
 * Configures the filter of a field of a list: whether the list can be filtered by the field, with which operators and
 * values, and the label of the field.
 */

import type { FilterValidation } from '@rdm/contracts/filters/filter-configurations';
import { type FilterOperator, OPERATORS_OF } from '@rdm/contracts/lists/filter-operators';
import { type FormEvent, useState } from 'react';
import { OPERATOR_WORDS } from '../../../components/filter-builder/operators.ts';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { ApiError } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeConfiguration, createConfiguration } from '../api/filter-testing.ts';
import type { ConfigurableField } from './configurable-field.ts';

const FORM = 'filter-configuration';
/** The value of the option for no default operator, because a select allows no empty value. */
const NONE = 'none';
const NO_BOUNDS: FilterValidation = { minLength: null, maxLength: null, min: null, max: null };

export interface ConfigurationDialogProps extends ConfigurableField {
  entity: string;
  onSaved: () => Promise<void>;
  onClose: () => void;
}

export function ConfigurationDialog({ entity, field, configuration, onSaved, onClose }: ConfigurationDialogProps) {
  const [storedConfiguration] = useState(configuration);
  const allOperators = OPERATORS_OF[field.dataType];
  const [isActive, setActive] = useState(storedConfiguration?.isActive ?? true);
  const [operators, setOperators] = useState<readonly FilterOperator[]>(
    storedConfiguration?.allowedOperators ?? allOperators,
  );
  const [defaultOperator, setDefaultOperator] = useState<FilterOperator | typeof NONE>(
    storedConfiguration?.defaultOperator ?? NONE,
  );
  const [displayName, setDisplayName] = useState(storedConfiguration?.displayName ?? '');
  const [description, setDescription] = useState(storedConfiguration?.description ?? '');
  const [bounds, setBounds] = useState(storedConfiguration?.validation ?? NO_BOUNDS);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const [dirty, setDirty] = useState(false);
  const edit =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      setDirty(true);
      set(value);
    };

  async function save(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    const settings = {
      isActive,
      allowedOperators: [...operators],
      defaultOperator: defaultOperator === NONE || !operators.includes(defaultOperator) ? null : defaultOperator,
      displayName,
      description,
      validation: Object.values(bounds).every((bound) => bound === null) ? null : bounds,
    };
    try {
      if (storedConfiguration === undefined) {
        await createConfiguration({ entityType: entity, fieldName: field.name, dataType: field.dataType, ...settings });
      } else await changeConfiguration(storedConfiguration, settings);
      notify.success('Configuration saved', { description: field.name });
      await onSaved();
      onClose();
    } catch (error) {
      const stale = error instanceof ApiError && error.code === 'STALE';
      setProblem(
        stale ? `${messageOf(error)}. Close this dialog and open it again to see the change.` : messageOf(error),
      );
      setBusy(false);
    }
  }

  const boundField = (name: keyof FilterValidation, label: string, isLength: boolean) => (
    <Field label={label} className="min-w-32 flex-1">
      {(control) => (
        <Input
          {...control}
          type="number"
          {...(isLength ? { min: 0, step: 1 } : { step: 'any' })}
          value={bounds[name] ?? ''}
          onChange={(event) =>
            edit(setBounds)({ ...bounds, [name]: event.target.value === '' ? null : Number(event.target.value) })
          }
        />
      )}
    </Field>
  );

  return (
    <FormDialog
      dirty={dirty && !busy}
      onClose={onClose}
      title={`Filter by ${field.name}`}
      description={`Data type: ${field.dataType}`}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            Save
          </Button>
        </>
      )}
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <Switch label="The list can be filtered by this field" checked={isActive} onCheckedChange={edit(setActive)} />
        <fieldset className="flex flex-col gap-1.5">
          <legend className="mb-1 font-medium text-sm">Operators</legend>
          <div className="grid grid-cols-2 gap-1.5 sm:grid-cols-3">
            {allOperators.map((operator) => (
              <LabelledCheckbox
                key={operator}
                label={OPERATOR_WORDS[operator]}
                checked={operators.includes(operator)}
                onCheckedChange={(ticked) =>
                  edit(setOperators)(
                    allOperators.filter((each) => (each === operator ? ticked === true : operators.includes(each))),
                  )
                }
              />
            ))}
          </div>
        </fieldset>
        <Field label="Operator of a new condition">
          {(control) => (
            <Select
              {...control}
              value={defaultOperator !== NONE && operators.includes(defaultOperator) ? defaultOperator : NONE}
              onValueChange={edit(setDefaultOperator)}
              options={[
                { value: NONE, label: 'The first operator' },
                ...operators.map((operator) => ({ value: operator, label: OPERATOR_WORDS[operator] })),
              ]}
            />
          )}
        </Field>
        <Field label="Shown as" hint="If this is empty, the field is shown under its own name.">
          {(control) => (
            <Input
              {...control}
              maxLength={200}
              value={displayName}
              onChange={(event) => edit(setDisplayName)(event.target.value)}
            />
          )}
        </Field>
        <Field label="Description">
          {(control) => (
            <Textarea {...control} value={description} onChange={(event) => edit(setDescription)(event.target.value)} />
          )}
        </Field>
        {field.dataType === 'number' && (
          <div className="flex flex-wrap gap-3">
            {boundField('min', 'Smallest allowed number', false)}
            {boundField('max', 'Greatest allowed number', false)}
          </div>
        )}
        {field.dataType === 'string' && (
          <div className="flex flex-wrap gap-3">
            {boundField('minLength', 'Characters, at least', true)}
            {boundField('maxLength', 'Characters, at most', true)}
          </div>
        )}
      </form>
    </FormDialog>
  );
}
