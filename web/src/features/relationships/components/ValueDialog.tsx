/** Adds a value, or edits one with its expected revision: its two rows and its attributes. */
import { fixedEnd, type RelationshipValueView } from '@rdm/contracts/relationships/relationship-values';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import type { CellValue } from '@rdm/contracts/text/rows';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { CellInput } from '../../../components/cell-input/index.tsx';
import { ConflictDialog } from '../../../components/conflict/index.tsx';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { changedFields, type Merge, mergeEdits } from '../../../lib/conflict/index.ts';
import { failedTitle, messageOf, rowMessage } from '../../../lib/messages/index.ts';
import { reloadRelationship } from '../api/relationships.ts';
import { currentValues, draftValue, editValue } from '../api/values.ts';
import { attributeTexts, checkAttributes } from './attribute-cells.ts';
import { type ChosenInstance, InstancePicker } from './InstancePicker.tsx';
import { keyText, pairText } from './review-words.ts';

const FORM = 'relationship-value';

export interface ValueDialogProps {
  relationship: RelationshipView;
  /** Undefined for a new one. */
  value?: RelationshipValueView | undefined;
  onClose: () => void;
}

/** A value in comparable form: rows by their keys, attributes by their names. */
type FlatValue = Record<string, CellValue>;
// Attribute names are trimmed: none begins with a blank.
const SOURCE = ' source';
const TARGET = ' target';

const flat = (
  source: number | undefined,
  target: number | undefined,
  attributes: Record<string, CellValue>,
): FlatValue => ({
  ...attributes,
  [SOURCE]: source ?? null,
  [TARGET]: target ?? null,
});

function editOf(change: Partial<FlatValue>) {
  const { [SOURCE]: source, [TARGET]: target, ...attributes } = change;
  return {
    ...(typeof source === 'number' && { sourceInstanceId: source }),
    ...(typeof target === 'number' && { targetInstanceId: target }),
    ...(Object.keys(attributes).length > 0 && { attributes: attributes as Record<string, CellValue> }),
  };
}

const endOf = (
  value: RelationshipValueView | undefined,
  id: 'sourceInstanceId' | 'targetInstanceId',
  key: 'sourceKey' | 'targetKey',
  label: 'sourceLabel' | 'targetLabel',
): ChosenInstance | undefined => value && { id: value[id], key: keyText(value[key], value[id]), label: value[label] };

export function ValueDialog({ relationship, value, onClose }: ValueDialogProps) {
  const queries = useQueryClient();
  const definitions = relationship.attributes;
  const [source, setSource] = useState(endOf(value, 'sourceInstanceId', 'sourceKey', 'sourceLabel'));
  const [target, setTarget] = useState(endOf(value, 'targetInstanceId', 'targetKey', 'targetLabel'));
  const [texts, setTexts] = useState(() => attributeTexts(definitions, value?.attributes));
  const [dirty, setDirty] = useState(false);
  const [checked, setChecked] = useState(false);
  const [busy, setBusy] = useState(false);
  const [conflict, setConflict] = useState<{
    theirs: RelationshipValueView;
    mine: FlatValue;
    merge: Merge<FlatValue>;
  }>();
  const { attributes, problems } = checkAttributes(definitions, texts);
  const fixed = value === undefined ? undefined : fixedEnd(relationship.cardinality);
  const title = value === undefined ? 'The value was not added' : 'The value was not saved';

  const flatOf = (stored: RelationshipValueView): FlatValue =>
    flat(
      stored.sourceInstanceId,
      stored.targetInstanceId,
      Object.fromEntries(definitions.map(({ name }) => [name, stored.attributes[name] ?? null])),
    );

  async function done(words: string, description: string) {
    notify.success(words, { description });
    await reloadRelationship(queries, relationship.id);
  }

  async function add(another: boolean): Promise<void> {
    if (source === undefined || target === undefined) return;
    await draftValue(relationship.id, { sourceInstanceId: source.id, targetInstanceId: target.id, attributes });
    await done('Draft added', `${source.key} → ${target.key}`);
    if (!another) return onClose();
    setTarget(undefined);
    setTexts(attributeTexts(definitions));
    setChecked(false);
    setDirty(false);
  }

  async function change(seen: RelationshipValueView, after: FlatValue): Promise<void> {
    const edit = editOf(changedFields(flatOf(seen), after));
    if (Object.keys(edit).length === 0) return onClose();
    const [result] = (await editValue(relationship.id, { id: seen.id, revision: seen.revision, ...edit })).results;
    if (result?.code === 'STALE') return meet(after);
    if (result?.outcome !== 'done') {
      notify.error((result && rowMessage(result)) ?? 'The server gave no reason', { title });
      return;
    }
    await done('Draft saved', pairText(seen));
    onClose();
  }

  /** Another user saved first: merges changes to different fields, and asks about the others. */
  async function meet(mine: FlatValue): Promise<void> {
    if (value === undefined) return;
    const [theirs] = await currentValues(relationship.id, [value.id]);
    if (theirs === undefined) {
      notify.error('This value was deleted in the meantime.', { title });
      return;
    }
    const merged = mergeEdits(flatOf(value), mine, flatOf(theirs));
    if (merged.overlaps.length > 0) setConflict({ theirs, mine, merge: merged });
    else await change(theirs, merged.merged);
  }

  async function attempt(save: () => Promise<void>) {
    setBusy(true);
    try {
      await save();
    } catch (error) {
      notify.error(messageOf(error), { title: failedTitle(value === undefined ? 'Add' : 'Save', error) });
    } finally {
      setBusy(false);
    }
  }

  function submit(event: FormEvent | undefined, another = false) {
    event?.preventDefault();
    setChecked(true);
    if (Object.keys(problems).length > 0 || source === undefined || target === undefined) return;
    const after = flat(source.id, target.id, attributes);
    void attempt(() => (value === undefined ? add(another) : change(value, after)));
  }

  if (conflict !== undefined) {
    const { merged, overlaps } = conflict.merge;
    const named = { [SOURCE]: relationship.sourceName, [TARGET]: relationship.targetName };
    const keys = new Map<unknown, string>();
    for (const end of [source, target]) if (end !== undefined) keys.set(end.id, end.key);
    for (const each of [value, conflict.theirs]) {
      if (each === undefined) continue;
      keys.set(each.sourceInstanceId, keyText(each.sourceKey, each.sourceInstanceId));
      keys.set(each.targetInstanceId, keyText(each.targetKey, each.targetInstanceId));
    }
    const read = (field: string, text: unknown) =>
      field === SOURCE || field === TARGET ? (keys.get(text) ?? text) : text;
    return (
      <ConflictDialog
        overlaps={overlaps.map(({ field, base, mine, theirs }) => ({
          field,
          base: read(field, base),
          mine: read(field, mine),
          theirs: read(field, theirs),
        }))}
        labels={{ ...Object.fromEntries(definitions.map(({ name }) => [name, name])), ...named }}
        onCancel={() => setConflict(undefined)}
        onResolve={(own) => {
          const chosen = { ...merged };
          for (const name of own) chosen[name] = conflict.mine[name] ?? null;
          setConflict(undefined);
          void attempt(() => change(conflict.theirs, chosen));
        }}
      />
    );
  }
  return (
    <FormDialog
      dirty={dirty}
      onClose={onClose}
      title={value === undefined ? 'Add a value' : `Edit ${pairText(value)}`}
      description={`${relationship.name}: ${relationship.sourceName} → ${relationship.targetName}`}
      footer={(leave) => (
        <>
          <Button onClick={leave}>{value === undefined ? 'Close' : 'Cancel'}</Button>
          {value === undefined && (
            <Button disabled={busy} onClick={() => submit(undefined, true)}>
              Add and continue
            </Button>
          )}
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            {value === undefined ? 'Add value' : 'Save draft'}
          </Button>
        </>
      )}
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        {value?.served != null && (
          <Alert tone="info">
            <span className="font-mono">{pairText(value.served)}</span> keeps serving until your draft is approved.
          </Alert>
        )}
        <Field
          label={`Source in ${relationship.sourceName}`}
          required
          hint={
            fixed === 'sourceInstanceId' ? 'The source of a value stays: delete it and add another one.' : undefined
          }
          error={checked && source === undefined ? 'Choose a row' : undefined}
        >
          {(control) => (
            <InstancePicker
              {...control}
              end={{ dataSetId: relationship.sourceDataSetId, name: relationship.sourceName }}
              disabled={fixed === 'sourceInstanceId'}
              chosen={source}
              onChoose={(instance) => {
                setSource(instance);
                setDirty(true);
              }}
            />
          )}
        </Field>
        <Field
          label={`Target in ${relationship.targetName}`}
          required
          hint={
            fixed === 'targetInstanceId' ? 'The target of a value stays: delete it and add another one.' : undefined
          }
          error={checked && target === undefined ? 'Choose a row' : undefined}
        >
          {(control) => (
            <InstancePicker
              {...control}
              end={{ dataSetId: relationship.targetDataSetId, name: relationship.targetName }}
              disabled={fixed === 'targetInstanceId'}
              chosen={target}
              onChoose={(instance) => {
                setTarget(instance);
                setDirty(true);
              }}
            />
          )}
        </Field>
        {definitions.map(({ name, dataType, isRequired, description }) => (
          <Field
            key={name}
            label={
              <>
                <span className="font-mono">{name}</span>
                <span className="ml-2 font-normal text-muted text-xs">{dataType}</span>
              </>
            }
            required={isRequired}
            hint={description === '' ? undefined : description}
            error={checked ? problems[name] : undefined}
          >
            {(control) => (
              <CellInput
                control={control}
                dataType={dataType}
                value={texts[name] ?? ''}
                onChange={(text) => {
                  setTexts({ ...texts, [name]: text });
                  setDirty(true);
                }}
              />
            )}
          </Field>
        ))}
      </form>
    </FormDialog>
  );
}
