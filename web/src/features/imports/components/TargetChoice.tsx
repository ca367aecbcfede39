/** Lets the user choose the target of a file: a data set, a crosswalk, a relationship, or a new data set. */
import { hasLevel } from '@rdm/contracts/access/permissions';
import {
  type DraftTarget,
  type DraftTargetProposal,
  type ImportDraft,
  isOfReviewedRows,
} from '@rdm/contracts/imports/drafts';
import { nameOfFile } from '@rdm/contracts/imports/resolve-draft';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { DataSetPicker } from '../../../components/data-set-picker/index.tsx';
import { cn } from '../../../components/ui/cn.ts';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { useAbility } from '../../../lib/auth/index.ts';
import { collectionChoicesQuery, typeChoicesQuery, useNameWarning } from '../../../lib/data-sets/index.ts';
import { targetsQuery } from '../api/drafts.ts';
import { changeOfNewDataSet, type NameProblems, type NewDataSet, withType } from './taken-names.ts';
import type { ChangeOfDraft } from './use-draft.ts';

export interface TargetChoiceProps {
  draft: ImportDraft;
  target: DraftTarget;
  nameProblems: NameProblems;
  /** Whether the user is choosing a data set that is not proposed. */
  isChoosing: boolean;
  onChoosing: (isChoosing: boolean) => void;
  change: ChangeOfDraft;
}

const PROPOSALS_SHOWN = 3;

export function TargetChoice({ draft, target, nameProblems, isChoosing, onChoosing, change }: TargetChoiceProps) {
  const mayCreate = useAbility('dataSets.create');
  const { data: proposals } = useQuery(targetsQuery(draft));
  const isUnset = draft.settings.target === undefined;
  const preselected = proposals?.find(({ isPreselected }) => isPreselected)?.target;

  const hasTyped = useRef(false);
  useEffect(() => {
    const onInput = () => {
      hasTyped.current = true;
    };
    document.addEventListener('input', onInput);
    return () => document.removeEventListener('input', onInput);
  }, []);
  // The preselected proposal must replace neither a target that is set nor a text that the user has typed.
  useEffect(() => {
    if (isUnset && preselected !== undefined && !hasTyped.current) void change({ target: preselected });
  });

  const dataSets = (proposals ?? []).filter((proposal) => proposal.target.kind === 'dataSet').slice(0, PROPOSALS_SHOWN);
  const reviewedProposals = (proposals ?? []).filter((proposal) => isOfReviewedRows(proposal.target));
  const setTarget = (newTarget: DraftTarget) => {
    onChoosing(false);
    void change({ target: newTarget, key: null, label: null });
  };
  const dataSetChoice = ({ target: proposed, name, reason }: DraftTargetProposal) => (
    <Choice
      key={name}
      label={`Rows of ${name}`}
      text={reason}
      checked={
        !isChoosing &&
        target.kind === 'dataSet' &&
        proposed.kind === 'dataSet' &&
        proposed.dataSetId === target.dataSetId
      }
      onChoose={() => setTarget(proposed)}
    />
  );
  const isProposed =
    target.kind === 'dataSet' &&
    dataSets.some(({ target: proposed }) => proposed.kind === 'dataSet' && proposed.dataSetId === target.dataSetId);
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">This file becomes</legend>
      {dataSets.filter(({ sharesNoKey }) => !sharesNoKey).map(dataSetChoice)}
      {reviewedProposals.map(({ target: proposed, name, reason }) => (
        <Choice
          key={`${proposed.kind} ${name}`}
          label={`${proposed.kind === 'crosswalk' ? 'Mappings' : 'Values'} of ${name}`}
          text={reason}
          checked={!isChoosing && JSON.stringify(proposed) === JSON.stringify(target)}
          onChoose={() => setTarget(proposed)}
        />
      ))}
      {mayCreate && (
        <Choice
          label="A new data set"
          text="Its type is created from the columns, or you choose an existing type."
          checked={!isChoosing && target.kind === 'newDataSet'}
          onChoose={() => {
            onChoosing(false);
            // With the target null, the effect above would set the preselected proposal again.
            if (target.kind !== 'newDataSet') setTarget({ kind: 'newDataSet', name: nameOfFile(draft.fileName) });
          }}
        >
          {!isChoosing && target.kind === 'newDataSet' && (
            <NewDataSetFields
              target={target}
              nameProblems={nameProblems}
              onChange={(changeTarget) => void change(changeOfNewDataSet(target, changeTarget))}
            />
          )}
        </Choice>
      )}
      {/* These data sets come after the new data set, because they contain no key of the file's first records. */}
      {dataSets.filter(({ sharesNoKey }) => sharesNoKey).map(dataSetChoice)}
      <Choice
        label="Rows of another data set"
        text="Any other data set that you can change."
        checked={isChoosing || (target.kind === 'dataSet' && !isProposed)}
        onChoose={() => onChoosing(true)}
      >
        {(isChoosing || (target.kind === 'dataSet' && !isProposed)) && (
          <DataSetPicker
            label="Data set"
            level="WRITE"
            dataSetId={target.kind === 'dataSet' ? target.dataSetId : undefined}
            error={undefined}
            onChange={(dataSetId) => setTarget({ kind: 'dataSet', dataSetId })}
          />
        )}
      </Choice>
    </fieldset>
  );
}

interface ChoiceProps {
  label: string;
  text: string;
  checked: boolean;
  onChoose: () => void;
  children?: ReactNode;
}

function Choice({ label, text, checked, onChoose, children }: ChoiceProps) {
  return (
    <div className={cn('rounded-md border border-hairline', checked && 'border-accent bg-accent-soft')}>
      <label className="flex cursor-pointer items-start gap-2 p-3">
        <input
          type="radio"
          name="target"
          className="mt-1 shrink-0 accent-accent"
          checked={checked}
          onChange={onChoose}
        />
        <span className="min-w-0">
          <span className="block break-words font-medium">{label}</span>
          <span className="block text-muted text-xs">{text}</span>
        </span>
      </label>
      {children !== undefined && children !== false && <div className="px-3 pb-3">{children}</div>}
    </div>
  );
}

const NONE = 'none';
const NEW = 'new';

function NewDataSetFields({
  target,
  nameProblems,
  onChange,
}: {
  target: NewDataSet;
  nameProblems: NameProblems;
  onChange: (changeTarget: (target: NewDataSet) => NewDataSet) => void;
}) {
  const mayDefineTypes = useAbility('types.write');
  const mayCreateCollections = useAbility('collections.create');
  const { data: collections = [] } = useQuery(collectionChoicesQuery);
  const { data: types = [] } = useQuery(typeChoicesQuery);
  const nameWarning = useNameWarning(target.name);
  const collectionChoice =
    target.newCollection !== undefined ? NEW : target.collectionId === undefined ? NONE : String(target.collectionId);

  function setCollection(value: string) {
    onChange(({ collectionId: _, newCollection: __, ...rest }) => {
      if (value === NONE) return rest;
      return value === NEW ? { ...rest, newCollection: rest.name } : { ...rest, collectionId: Number(value) };
    });
  }

  function setType(value: string) {
    onChange((current) => withType(current, value === NEW ? undefined : Number(value)));
  }

  return (
    <div className="flex flex-col gap-3">
      <NameField
        label="Name of the data set"
        value={target.name}
        warning={nameWarning}
        onSave={(name) => onChange((current) => ({ ...current, name }))}
      />
      <Field label="Type">
        {(control) => (
          <Select
            {...control}
            value={target.typeId === undefined ? NEW : String(target.typeId)}
            onValueChange={setType}
            options={[
              { value: NEW, label: 'A new type, from the columns', disabled: !mayDefineTypes },
              ...types.map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
          />
        )}
      </Field>
      {target.typeId === undefined && (
        <NameField
          label="Name of the type"
          value={target.typeName ?? target.name}
          error={nameProblems.type}
          onSave={(typeName) => onChange((current) => ({ ...current, typeName }))}
        />
      )}
      <Field
        label="Collection"
        hint={
          collectionChoice === NONE ? 'Without a collection, only you and administrators see the data set.' : undefined
        }
      >
        {(control) => (
          <Select
            {...control}
            value={collectionChoice}
            onValueChange={setCollection}
            options={[
              { value: NONE, label: 'No collection' },
              { value: NEW, label: 'A new collection', disabled: !mayCreateCollections },
              ...collections
                .filter(({ level }) => hasLevel(level, 'ADMIN'))
                .map(({ id, name }) => ({ value: String(id), label: name })),
            ]}
          />
        )}
      </Field>
      {target.newCollection !== undefined && (
        <NameField
          label="Name of the collection"
          value={target.newCollection}
          error={nameProblems.collection}
          onSave={(newCollection) => onChange((current) => ({ ...current, newCollection }))}
        />
      )}
    </div>
  );
}

/** A name field that saves the name when it loses the focus. */
function NameField({
  label,
  value,
  warning,
  error,
  onSave,
}: {
  label: string;
  value: string;
  warning?: string | undefined;
  error?: string | undefined;
  onSave: (value: string) => void;
}) {
  const [enteredName, setEnteredName] = useState<string>();
  const text = enteredName ?? value;
  return (
    <Field
      label={label}
      warning={warning}
      error={text.trim() === '' ? 'A name is required' : enteredName === undefined ? error : undefined}
    >
      {(control) => (
        <Input
          {...control}
          maxLength={200}
          value={text}
          onChange={(event) => setEnteredName(event.target.value)}
          onBlur={() => {
            if (text.trim() !== '' && text.trim() !== value) onSave(text.trim());
            if (text.trim() !== '') setEnteredName(undefined);
          }}
        />
      )}
    </Field>
  );
}
