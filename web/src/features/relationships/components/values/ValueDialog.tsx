/**
 * The dialog that adds or edits a value: its two rows and its attributes. An edited value can be submitted immediately.
 */
import { fixedEnd, type RelationshipValueView } from '@rdm/contracts/relationships/relationship-values';
import type { AttributeView, RelationshipView } from '@rdm/contracts/relationships/relationships';
import { REVIEW_REFUSALS } from '@rdm/contracts/review/approval';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { CellInput } from '../../../../components/cell-input/index.tsx';
import { FormDialog } from '../../../../components/form-dialog/index.tsx';
import { DraftButtons } from '../../../../components/review/draft-buttons.tsx';
import type { OnSaved } from '../../../../components/review/review-tab.tsx';
import { notify } from '../../../../components/toast/index.ts';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Field } from '../../../../components/ui/input.tsx';
import { changedFields, mergeEdits } from '../../../../lib/conflict/index.ts';
import { failedTitle, messageOf, rowMessage } from '../../../../lib/messages/index.ts';
import { reloadRelationship } from '../../api/relationships.ts';
import { currentValues, draftValue, editValue } from '../../api/values.ts';
import { attributeTexts, checkAttributes } from '../attribute-cells.ts';
import { type ChosenInstance, InstancePicker } from '../InstancePicker.tsx';
import { keyText, pairText } from '../review-words.ts';
import { type Conflict, ValueConflict } from './ValueConflict.tsx';
import { editOf, type FlatValue, flatOf, flatValue } from './value-edits.ts';

const FORM_ID = 'relationship-value';

export interface ValueDialogProps {
  relationship: RelationshipView;
  /** Undefined for a new value. */
  value?: RelationshipValueView | undefined;
  onClose: () => void;
  /** Called after an existing value is saved. */
  onSaved?: OnSaved<RelationshipValueView>;
}

type Side = 'source' | 'target';

const endOf = (value: RelationshipValueView | undefined, side: Side): ChosenInstance | undefined =>
  value && {
    id: value[`${side}InstanceId`],
    key: keyText(value[`${side}Key`], value[`${side}InstanceId`]),
    label: value[`${side}Label`],
  };

export function ValueDialog({ relationship, value, onClose, onSaved }: ValueDialogProps) {
  const queries = useQueryClient();
  const definitions = relationship.attributes;
  const [source, setSource] = useState(endOf(value, 'source'));
  const [target, setTarget] = useState(endOf(value, 'target'));
  const [texts, setTexts] = useState(() => attributeTexts(definitions, value?.attributes));
  const [dirty, setDirty] = useState(false);
  const [showsProblems, setShowsProblems] = useState(false);
  const [busy, setBusy] = useState(false);
  const [shouldSubmit, setShouldSubmit] = useState(false);
  const [conflict, setConflict] = useState<Conflict>();
  const isRejected = value?.approvalStatus === 'REJECTED';
  const { attributes, problems } = checkAttributes(definitions, texts);
  const fixedField = value === undefined ? undefined : fixedEnd(relationship.cardinality);
  const failureTitle = value === undefined ? 'The value was not added' : 'The value was not saved';

  async function reportSaved(title: string, description: string) {
    notify.success(title, { description });
    await reloadRelationship(queries, relationship.id);
  }

  async function add(andContinue: boolean): Promise<void> {
    if (source === undefined || target === undefined) return;
    await draftValue(relationship.id, { sourceInstanceId: source.id, targetInstanceId: target.id, attributes });
    await reportSaved('Draft added', `${source.key} → ${target.key}`);
    if (!andContinue) return onClose();
    setTarget(undefined);
    setTexts(attributeTexts(definitions));
    setShowsProblems(false);
    setDirty(false);
  }

  /** Saves the changed fields, if any. Returns the stored value; undefined if the change was not saved. */
  async function change(stored: RelationshipValueView, after: FlatValue): Promise<RelationshipValueView | undefined> {
    const edit = editOf(changedFields(flatOf(relationship, stored), after));
    if (Object.keys(edit).length === 0) return stored;
    const [result] = (await editValue(relationship.id, { id: stored.id, revision: stored.revision, ...edit })).results;
    if (result?.code === 'STALE') return mergeWithTheirs(after);
    if (result?.outcome !== 'done') {
      notify.error((result && rowMessage(result)) ?? 'The server gave no reason', { title: failureTitle });
      return undefined;
    }
    await reportSaved('Draft saved', pairText(stored));
    const [saved] = await currentValues(relationship.id, [stored.id]);
    // `saved` is undefined if the value was deleted in the meantime.
    return saved ?? { ...stored, approvalStatus: 'DRAFT', revision: result.revision ?? stored.revision };
  }

  /**
   * Merges the edit into the version that another user saved first, and saves the result. If both users changed the
   * same fields, opens a dialog for these fields instead.
   */
  async function mergeWithTheirs(mine: FlatValue): Promise<RelationshipValueView | undefined> {
    if (value === undefined) return undefined;
    const [theirs] = await currentValues(relationship.id, [value.id]);
    if (theirs === undefined) {
      notify.error('This value was deleted in the meantime.', { title: failureTitle });
      return undefined;
    }
    const merged = mergeEdits(flatOf(relationship, value), mine, flatOf(relationship, theirs));
    if (merged.overlaps.length === 0) return change(theirs, merged.merged);
    setConflict({ theirs, mine, merge: merged });
    return undefined;
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

  async function saveAndClose(stored: RelationshipValueView, after: FlatValue, andSubmit: boolean): Promise<void> {
    setShouldSubmit(andSubmit);
    const saved = await change(stored, after);
    if (saved === undefined) return;
    if (andSubmit && saved.approvalStatus === 'REJECTED') {
      notify.error(REVIEW_REFUSALS.UNCHANGED, { title: failureTitle });
      return;
    }
    onClose();
    onSaved?.(saved, andSubmit);
  }

  /** With `andContinue`, the form stays open after a new value, and an existing value is submitted. */
  function save(andContinue: boolean) {
    setShowsProblems(true);
    if (Object.keys(problems).length > 0 || source === undefined || target === undefined) return;
    const after = flatValue(source.id, target.id, attributes);
    void attempt(() => (value === undefined ? add(andContinue) : saveAndClose(value, after, andContinue)));
  }

  function handleSubmit(event: FormEvent) {
    event.preventDefault();
    save(isRejected);
  }

  if (conflict !== undefined) {
    return (
      <ValueConflict
        relationship={relationship}
        value={value}
        ends={[source, target]}
        conflict={conflict}
        onCancel={() => setConflict(undefined)}
        onResolve={(resolvedValue) => {
          setConflict(undefined);
          void attempt(() => saveAndClose(conflict.theirs, resolvedValue, shouldSubmit));
        }}
      />
    );
  }

  const endField = (side: Side, chosen: ChosenInstance | undefined, onChoose: (instance: ChosenInstance) => void) => (
    <EndField
      side={side}
      relationship={relationship}
      isFixed={fixedField === `${side}InstanceId`}
      chosen={chosen}
      isMissing={showsProblems && chosen === undefined}
      onChoose={(instance) => {
        onChoose(instance);
        setDirty(true);
      }}
    />
  );

  return (
    <FormDialog
      dirty={dirty}
      onClose={onClose}
      title={value === undefined ? 'Add a value' : `Edit ${pairText(value)}`}
      description={`${relationship.name}: ${relationship.sourceName} → ${relationship.targetName}`}
      footer={(leave) => (
        <>
          <Button onClick={leave}>{value === undefined ? 'Close' : 'Cancel'}</Button>
          {value === undefined ? (
            <>
              <Button disabled={busy} onClick={() => save(true)}>
                Add and enter another
              </Button>
              <Button variant="primary" type="submit" form={FORM_ID} disabled={busy} aria-busy={busy}>
                Add value
              </Button>
            </>
          ) : (
            <DraftButtons form={FORM_ID} busy={busy} isRejected={isRejected} onSave={save} />
          )}
        </>
      )}
    >
      <form id={FORM_ID} noValidate className="flex flex-col gap-4" onSubmit={handleSubmit}>
        {value?.served != null && (
          <Alert tone="info">
            <span className="font-mono">{pairText(value.served)}</span> is served until your draft is approved.
          </Alert>
        )}
        {endField('source', source, setSource)}
        {endField('target', target, setTarget)}
        <AttributeFields
          definitions={definitions}
          texts={texts}
          problems={showsProblems ? problems : {}}
          onChange={(newTexts) => {
            setTexts(newTexts);
            setDirty(true);
          }}
        />
      </form>
    </FormDialog>
  );
}

interface EndFieldProps {
  side: Side;
  relationship: RelationshipView;
  /** Whether the cardinality fixes the row on this side of an existing value. */
  isFixed: boolean;
  chosen: ChosenInstance | undefined;
  isMissing: boolean;
  onChoose: (instance: ChosenInstance) => void;
}

function EndField({ side, relationship, isFixed, chosen, isMissing, onChoose }: EndFieldProps) {
  const name = relationship[`${side}Name`];
  return (
    <Field
      label={`${side === 'source' ? 'Source' : 'Target'} in ${name}`}
      required
      hint={isFixed ? `The ${side} of a value cannot be changed: delete the value and add a new value.` : undefined}
      error={isMissing ? 'Choose a row' : undefined}
    >
      {(control) => (
        <InstancePicker
          {...control}
          end={{ dataSetId: relationship[`${side}DataSetId`], name }}
          disabled={isFixed}
          chosen={chosen}
          onChoose={onChoose}
        />
      )}
    </Field>
  );
}

interface AttributeFieldsProps {
  definitions: readonly AttributeView[];
  texts: Readonly<Record<string, string>>;
  problems: Readonly<Record<string, string>>;
  onChange: (texts: Record<string, string>) => void;
}

function AttributeFields({ definitions, texts, problems, onChange }: AttributeFieldsProps) {
  return definitions.map(({ name, dataType, isRequired, description }) => (
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
      error={problems[name]}
    >
      {(control) => (
        <CellInput
          control={control}
          dataType={dataType}
          value={texts[name] ?? ''}
          onChange={(text) => onChange({ ...texts, [name]: text })}
        />
      )}
    </Field>
  ));
}
