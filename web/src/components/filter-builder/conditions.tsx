/** The editor for the conditions of a filter and their groups. Missing parts are reported below each condition. */
import type { FilterCondition, FilterField, FilterGroup } from '@rdm/contracts/lists/filter';
import type { FilterOperator } from '@rdm/contracts/lists/filter-operators';
import { Plus, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/select.tsx';
import { countConditions, isGroup, OPERATOR_WORDS, operatorsFor, problemOf, valueShape } from './operators.ts';
import { ValueInput } from './value-input.tsx';
import { ValueList } from './value-list.tsx';
import { inputTypeOf } from './values.ts';

/** The API accepts deeper nesting. The editor limits it to keep filters readable. */
const MAX_DEPTH = 3;

interface GroupProps {
  fields: readonly FilterField[];
  group: FilterGroup;
  depth: number;
  /** Whether incomplete conditions show their problem: true after the first attempt to apply the filter. */
  showsProblems: boolean;
  onChange: (group: FilterGroup) => void;
  onRemove?: () => void;
}

export function FilterConditions(props: Pick<GroupProps, 'fields' | 'group' | 'showsProblems' | 'onChange'>) {
  return props.fields.length === 0 && countConditions(props.group) === 0 ? (
    <p className="text-muted">This list cannot be filtered by any field.</p>
  ) : (
    <Group {...props} depth={1} />
  );
}

function firstCondition(fields: readonly FilterField[]): FilterCondition[] {
  const [field] = fields;
  const operator = field === undefined ? undefined : operatorsFor(field)[0];
  return field === undefined || operator === undefined ? [] : [{ field: field.name, operator }];
}

export const initialFilter = (fields: readonly FilterField[]): FilterGroup => ({
  logic: 'AND',
  conditions: firstCondition(fields),
});

function Group({ fields, group, depth, showsProblems, onChange, onRemove }: GroupProps) {
  const replace = (index: number, part: FilterCondition | FilterGroup | undefined) =>
    onChange({
      ...group,
      conditions: group.conditions.flatMap((current, position) => {
        if (position !== index) return [current];
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
          // The index is the key, because a condition has no other identity.
          <li key={index}>
            {isGroup(part) ? (
              <Group
                fields={fields}
                group={part}
                depth={depth + 1}
                showsProblems={showsProblems}
                onChange={(changed) => replace(index, changed)}
                onRemove={() => replace(index, undefined)}
              />
            ) : (
              <Condition
                fields={fields}
                condition={part}
                showsProblems={showsProblems}
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
          Add condition
        </Button>
        {depth < MAX_DEPTH && (
          <Button
            variant="ghost"
            size="sm"
            onClick={() => add([{ logic: group.logic === 'AND' ? 'OR' : 'AND', conditions: firstCondition(fields) }])}
          >
            <Plus />
            Add group
          </Button>
        )}
      </div>
    </fieldset>
  );
}

interface ConditionProps {
  fields: readonly FilterField[];
  condition: FilterCondition;
  showsProblems: boolean;
  onChange: (condition: FilterCondition) => void;
  onRemove: () => void;
}

function Condition({ fields, condition, showsProblems, onChange, onRemove }: ConditionProps) {
  const messageId = useId();
  const field = fields.find(({ name }) => name === condition.field);
  // A field that the list does not offer is reported immediately, because the only remedy is to remove the condition.
  const problem = showsProblems || field === undefined ? problemOf(condition, fields) : undefined;
  return (
    <div className="flex flex-wrap items-center gap-2">
      {field === undefined ? (
        <p className="min-w-0 flex-1 break-words text-muted line-through">
          {condition.field} {OPERATOR_WORDS[condition.operator]}
        </p>
      ) : (
        <Editor
          fields={fields}
          field={field}
          condition={condition}
          problemId={problem === undefined ? undefined : messageId}
          onChange={onChange}
        />
      )}
      <Button variant="ghost" size="icon-sm" aria-label="Remove condition" onClick={onRemove}>
        <Trash2 />
      </Button>
      {problem !== undefined && (
        <p id={messageId} className="order-2 basis-full text-danger-text text-xs">
          {problem}
        </p>
      )}
    </div>
  );
}

interface EditorProps extends Pick<ConditionProps, 'fields' | 'condition' | 'onChange'> {
  field: FilterField;
  /** The id of the text that names the missing part. */
  problemId: string | undefined;
}

function Editor({ fields, field, condition, problemId, onChange }: EditorProps) {
  const shapeOf = (operator: FilterOperator) =>
    `${valueShape(operator, field.dataType)} ${inputTypeOf(operator, field.dataType)}`;
  return (
    <>
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
            shapeOf(operator) === shapeOf(condition.operator)
              ? { ...condition, operator }
              : { field: field.name, operator },
          )
        }
        options={operatorsFor(field).map((operator) => ({ value: operator, label: OPERATOR_WORDS[operator] }))}
      />
      <Values
        // A new key resets the inputs, because the values of another field or operator can have another type.
        key={`${field.name} ${shapeOf(condition.operator)}`}
        field={field}
        condition={condition}
        problemId={problemId}
        onChange={(value) => onChange({ ...condition, value })}
      />
    </>
  );
}

function Values({
  field,
  condition: { operator, value },
  problemId,
  onChange,
}: Pick<EditorProps, 'field' | 'condition' | 'problemId'> & { onChange: (value: unknown) => void }) {
  const dataType = inputTypeOf(operator, field.dataType);
  const values: unknown[] = Array.isArray(value) ? value : [];
  switch (valueShape(operator, field.dataType)) {
    case 'none':
      return null;
    case 'many':
      return (
        <ValueList
          dataType={dataType}
          values={values}
          isOrdered={operator !== 'in' && operator !== 'not_in'}
          invalid={problemId !== undefined}
          describedBy={problemId}
          onChange={onChange}
        />
      );
    case 'two': {
      const [from, to] = values;
      const inputProps = { dataType, className: 'w-auto flex-1' };
      return (
        <div className="flex flex-1 flex-wrap items-center gap-1">
          <ValueInput
            {...inputProps}
            label="From"
            value={from}
            problemId={from === undefined ? problemId : undefined}
            onChange={(next) => onChange([next, to])}
          />
          <span>–</span>
          <ValueInput
            {...inputProps}
            label="To"
            value={to}
            problemId={to === undefined ? problemId : undefined}
            onChange={(next) => onChange([from, next])}
          />
        </div>
      );
    }
    case 'one':
      if (dataType === 'boolean') {
        return (
          <Select
            aria-label="Value"
            className="w-44 flex-1"
            value={value === undefined ? undefined : String(value)}
            onValueChange={(next) => onChange(next === 'true')}
            options={[
              { value: 'true', label: 'true' },
              { value: 'false', label: 'false' },
            ]}
          />
        );
      }
      return (
        <ValueInput
          label="Value"
          dataType={dataType}
          value={value}
          problemId={problemId}
          className="w-44 flex-1"
          onChange={onChange}
        />
      );
  }
}
