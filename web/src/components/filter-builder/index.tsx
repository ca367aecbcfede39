/** Builds a filter of conditions and groups joined by AND or OR, over the operators that suit each field. */
import type { FilterCondition, FilterField, FilterGroup, FilterOperator } from '@rdm/contracts/filter';
import { ListFilter, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useConfiguredFields } from '../../lib/filters/index.ts';
import { Button } from '../ui/button.tsx';
import { Input } from '../ui/input.tsx';
import { Popover } from '../ui/popover.tsx';
import { Select } from '../ui/select.tsx';
import { completed, countConditions, isGroup, OPERATOR_WORDS, operatorsFor, typed, valueShape } from './operators.ts';

/** Deeper nesting can be sent by other means; people get lost in it. */
const MAX_DEPTH = 3;

export interface FilterBuilderProps {
  /** The list whose configurations limit the fields. */
  entity?: string | undefined;
  fields: readonly FilterField[];
  value: FilterGroup | undefined;
  onChange: (filter: FilterGroup | undefined) => void;
}

export function FilterBuilder({ entity, fields, value, onChange }: FilterBuilderProps) {
  const [open, setOpen] = useState(false);
  const offered = useConfiguredFields(entity, fields, open);
  const [changed, setChanged] = useState<FilterGroup>();
  const draft = changed ?? value ?? startWith(offered ?? []);
  const count = countConditions(value);

  function apply(next: FilterGroup | undefined) {
    onChange(next);
    setOpen(false);
  }

  return (
    <Popover
      label="Filter"
      className="w-[640px]"
      open={open}
      onOpenChange={(next) => {
        if (next) setChanged(undefined);
        setOpen(next);
      }}
      trigger={
        <Button
          aria-label={count === 0 ? 'Filter' : `Filter, ${count} ${count === 1 ? 'condition' : 'conditions'} active`}
        >
          <ListFilter />
          Filter
          {count > 0 && <span className="rounded-sm bg-accent px-1 text-accent-ink text-xs">{count}</span>}
        </Button>
      }
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          apply(completed(draft));
        }}
      >
        {offered === undefined ? (
          <p role="status" className="text-muted">
            Loading…
          </p>
        ) : (
          <FilterConditions fields={offered} group={draft} onChange={setChanged} />
        )}
        <div className="mt-3 flex justify-end gap-2 border-hairline border-t pt-3">
          <Button variant="ghost" onClick={() => apply(undefined)}>
            Clear
          </Button>
          <Button variant="primary" type="submit" disabled={offered === undefined}>
            Apply
          </Button>
        </div>
      </form>
    </Popover>
  );
}

/** The conditions of a filter, to be changed. */
export function FilterConditions(props: Pick<GroupProps, 'fields' | 'group' | 'onChange'>) {
  return props.fields.length === 0 ? (
    <p className="text-muted">This list is not filtered by any field.</p>
  ) : (
    <Group {...props} depth={1} />
  );
}

function firstCondition(fields: readonly FilterField[]): FilterCondition[] {
  const [field] = fields;
  const operator = field === undefined ? undefined : operatorsFor(field)[0];
  return field === undefined || operator === undefined ? [] : [{ field: field.name, operator }];
}

export const startWith = (fields: readonly FilterField[]): FilterGroup => ({
  logic: 'AND',
  conditions: firstCondition(fields),
});

interface GroupProps {
  fields: readonly FilterField[];
  group: FilterGroup;
  depth: number;
  onChange: (group: FilterGroup) => void;
  onRemove?: () => void;
}

function Group({ fields, group, depth, onChange, onRemove }: GroupProps) {
  const replace = (index: number, part: FilterCondition | FilterGroup | undefined) =>
    onChange({
      ...group,
      conditions: group.conditions.flatMap((known, position) => {
        if (position !== index) return [known];
        return part === undefined ? [] : [part];
      }),
    });
  const add = (parts: (FilterCondition | FilterGroup)[]) =>
    onChange({ ...group, conditions: [...group.conditions, ...parts] });

  return (
    <fieldset className={depth > 1 ? 'rounded-md border border-hairline p-2' : ''}>
      <legend className="sr-only">Conditions</legend>
      <div className="mb-2 flex items-center gap-2">
        <span>Match</span>
        <Select
          aria-label="Logic"
          className="h-7 w-36"
          value={group.logic}
          onValueChange={(logic) => onChange({ ...group, logic })}
          options={[
            { value: 'AND', label: 'all of (AND)' },
            { value: 'OR', label: 'any of (OR)' },
          ]}
        />
        {onRemove !== undefined && (
          <Button variant="ghost" size="icon-sm" className="ml-auto" aria-label="Remove group" onClick={onRemove}>
            <Trash2 />
          </Button>
        )}
      </div>
      <ul className="flex flex-col gap-2">
        {group.conditions.map((part, index) => (
          // A condition is its place in the filter.
          <li key={index}>
            {isGroup(part) ? (
              <Group
                fields={fields}
                group={part}
                depth={depth + 1}
                onChange={(changed) => replace(index, changed)}
                onRemove={() => replace(index, undefined)}
              />
            ) : (
              <Condition
                fields={fields}
                condition={part}
                onChange={(changed) => replace(index, changed)}
                onRemove={() => replace(index, undefined)}
              />
            )}
          </li>
        ))}
      </ul>
      <div className="mt-2 flex gap-1">
        <Button variant="ghost" size="sm" onClick={() => add(firstCondition(fields))}>
          <Plus />
          Condition
        </Button>
        {depth < MAX_DEPTH && (
          <Button
            variant="ghost"
            size="sm"
            onClick={() => add([{ logic: group.logic === 'AND' ? 'OR' : 'AND', conditions: firstCondition(fields) }])}
          >
            <Plus />
            Group
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface ConditionProps {
  fields: readonly FilterField[];
  condition: FilterCondition;
  onChange: (condition: FilterCondition) => void;
  onRemove: () => void;
}

function Condition({ fields, condition, onChange, onRemove }: ConditionProps) {
  const field = fields.find((candidate) => candidate.name === condition.field) ?? fields[0];
  if (field === undefined) return null;
  const choices = operatorsFor(field);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Select
        aria-label="Field"
        className="w-40"
        value={field.name}
        onValueChange={(name) => {
          const operators = operatorsFor(fields.find((candidate) => candidate.name === name) ?? field);
          const operator = operators.includes(condition.operator) ? condition.operator : (operators[0] ?? 'equals');
          onChange({ field: name, operator });
        }}
        options={fields.map(({ name, label }) => ({ value: name, label }))}
      />
      <Select<FilterOperator>
        aria-label="Operator"
        className="w-40"
        value={condition.operator}
        onValueChange={(operator) =>
          onChange(
            valueShape(operator, field.dataType) === valueShape(condition.operator, field.dataType)
              ? { ...condition, operator }
              : { field: field.name, operator },
          )
        }
        options={choices.map((operator) => ({ value: operator, label: OPERATOR_WORDS[operator] }))}
      />
      <Values field={field} condition={condition} onChange={(value) => onChange({ ...condition, value })} />
      <Button variant="ghost" size="icon-sm" aria-label="Remove condition" onClick={onRemove}>
        <Trash2 />
      </Button>
    </div>
  );
}

const INPUT_TYPES: Partial<Record<FilterField['dataType'], string>> = {
  number: 'number',
  date: 'date',
  datetime: 'datetime-local',
};

function Values({
  field,
  condition,
  onChange,
}: {
  field: FilterField;
  condition: FilterCondition;
  onChange: (value: unknown) => void;
}) {
  const shape = valueShape(condition.operator, field.dataType);
  const type = INPUT_TYPES[field.dataType] ?? 'text';
  if (shape === 'none') return null;
  if (shape === 'many') {
    return (
      <Input
        aria-label="Values, separated by commas"
        placeholder="a, b, c"
        className="w-44 flex-1"
        defaultValue={Array.isArray(condition.value) ? condition.value.join(', ') : ''}
        onChange={(event) =>
          onChange(
            event.target.value
              .split(',')
              .map((text) => typed(text.trim(), field.dataType))
              .filter((value) => value !== undefined),
          )
        }
      />
    );
  }
  if (shape === 'two') {
    const ends: unknown[] = Array.isArray(condition.value) ? condition.value : [undefined, undefined];
    return (
      <div className="flex flex-1 items-center gap-1">
        <Input
          aria-label="From"
          type={type}
          value={String(ends[0] ?? '')}
          onChange={(event) => onChange([typed(event.target.value, field.dataType), ends[1]])}
        />
        <span>–</span>
        <Input
          aria-label="To"
          type={type}
          value={String(ends[1] ?? '')}
          onChange={(event) => onChange([ends[0], typed(event.target.value, field.dataType)])}
        />
      </div>
    );
  }
  if (field.dataType === 'boolean') {
    return (
      <Select
        aria-label="Value"
        className="w-44 flex-1"
        value={condition.value === undefined ? undefined : String(condition.value)}
        onValueChange={(value) => onChange(value === 'true')}
        options={[
          { value: 'true', label: 'true' },
          { value: 'false', label: 'false' },
        ]}
      />
    );
  }
  return (
    <Input
      aria-label="Value"
      type={type}
      className="w-44 flex-1"
      value={String(condition.value ?? '')}
      onChange={(event) => onChange(typed(event.target.value, field.dataType))}
    />
  );
}
