/** The form of a relationship: name, type, source and target, and the rules for its values. */
import { CARDINALITIES, DefineRelationship } from '@rdm/contracts/relationships/relationships';
import { type ReactNode, useCallback } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { Link } from 'react-router-dom';
import { z } from 'zod';
import { EndPicker } from '../../../components/end-picker/index.tsx';
import { LeaveGuard } from '../../../components/leave-guard/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { zodResolver } from '../../../lib/forms/index.ts';
import { CARDINALITY_RULES, CARDINALITY_WORDS } from './cardinality-labels.ts';

const DataSet = z.number({ error: 'Choose a data set' }).int().positive();
const FieldName = z.string().min(1, 'Choose a field');
const Form = DefineRelationship.extend({
  relationshipType: z.string().trim().max(200),
  cardinality: z.enum(CARDINALITIES),
  sourceDataSetId: DataSet,
  targetDataSetId: DataSet,
  sourceField: FieldName,
  targetField: FieldName,
  allowSelfRelationship: z.boolean(),
});

/** The input; the data sets are undefined until they are chosen. */
export interface RelationshipDraft extends Omit<DefineRelationship, 'sourceDataSetId' | 'targetDataSetId'> {
  sourceDataSetId: number | undefined;
  targetDataSetId: number | undefined;
}

export const NEW_RELATIONSHIP: RelationshipDraft = {
  name: '',
  relationshipType: '',
  cardinality: 'MANY_TO_MANY',
  sourceDataSetId: undefined,
  targetDataSetId: undefined,
  sourceField: '',
  targetField: '',
  allowSelfRelationship: false,
};

export interface RelationshipFormProps {
  initial: RelationshipDraft;
  save: string;
  /** The target of Cancel. */
  back: string;
  /** Saves and navigates with the state SAVED; else returns the error, or undefined if a dialog is open. */
  onSave: (relationship: DefineRelationship) => Promise<{ problem?: string } | undefined>;
  /** The data sets and fields of an existing relationship cannot be changed. */
  existing?: boolean;
  /** The user can only read the relationship. */
  readOnly?: boolean;
  /** Why cardinality and `allowSelfRelationship` cannot be changed. */
  rulesLocked?: string | undefined;
  /** There are also unsaved changes outside of the form. */
  dirtyBeside?: boolean;
  /** Content before the buttons that is saved with the relationship, for the selected source data set. */
  children?: (sourceDataSetId: number | undefined) => ReactNode;
}

const ENDS_STAY = 'A relationship keeps its ends.';

export function RelationshipForm(props: RelationshipFormProps) {
  const { initial, existing = false, readOnly = false, rulesLocked } = props;
  const { control, register, handleSubmit, setValue, setError, formState } = useForm<
    RelationshipDraft,
    unknown,
    DefineRelationship
  >({ resolver: zodResolver(Form) as never, defaultValues: initial });
  const { errors, isDirty, isSubmitting } = formState;
  const typed = useWatch({ control });
  const { sourceField = '', targetField = '', cardinality = initial.cardinality } = typed;
  const isWithinOne = typed.sourceDataSetId !== undefined && typed.sourceDataSetId === typed.targetDataSetId;

  const setSource = useCallback(
    (name: string) => setValue('sourceField', name, { shouldDirty: true, shouldValidate: true }),
    [setValue],
  );
  const setTarget = useCallback(
    (name: string) => setValue('targetField', name, { shouldDirty: true, shouldValidate: true }),
    [setValue],
  );

  async function submit(relationship: DefineRelationship) {
    const failed = await props.onSave(relationship);
    if (failed?.problem !== undefined) setError('root', { message: failed.problem });
  }

  return (
    <form noValidate className="max-w-4xl" onSubmit={(event) => void handleSubmit(submit)(event)}>
      <fieldset disabled={readOnly} className="flex flex-col gap-4">
        {errors.root?.message !== undefined && (
          <Alert tone="error" title="The relationship was not saved">
            {errors.root.message}
          </Alert>
        )}
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Name" required error={errors.name?.message}>
            {(field) => (
              <Input {...field} {...register('name')} required maxLength={200} autoFocus={initial.name === ''} />
            )}
          </Field>
          <Field label="Type" hint="In your own words: “is in”, “replaces”." error={errors.relationshipType?.message}>
            {(field) => <Input {...field} {...register('relationshipType')} maxLength={200} />}
          </Field>
          <Controller
            control={control}
            name="sourceDataSetId"
            render={({ field }) => (
              <EndPicker
                side="Source"
                fieldWord="field"
                level="WRITE"
                dataSetId={field.value}
                attribute={sourceField}
                onDataSet={(id) => {
                  field.onChange(id);
                  setValue('sourceField', '');
                }}
                onAttribute={setSource}
                dataSetError={errors.sourceDataSetId?.message}
                attributeError={errors.sourceField?.message}
                dataSetFixed={existing ? ENDS_STAY : undefined}
                attributeLocked={existing}
              />
            )}
          />
          <Controller
            control={control}
            name="targetDataSetId"
            render={({ field }) => (
              <EndPicker
                side="Target"
                fieldWord="field"
                level="READ"
                dataSetId={field.value}
                attribute={targetField}
                onDataSet={(id) => {
                  field.onChange(id);
                  setValue('targetField', '');
                }}
                onAttribute={setTarget}
                dataSetError={errors.targetDataSetId?.message}
                attributeError={errors.targetField?.message}
                dataSetFixed={existing ? ENDS_STAY : undefined}
                attributeLocked={existing}
              />
            )}
          />
        </div>
        {rulesLocked !== undefined && <Alert tone="info">{rulesLocked}</Alert>}
        <Controller
          control={control}
          name="cardinality"
          render={({ field }) => (
            <Field label="Cardinality" required hint={CARDINALITY_RULES[cardinality]}>
              {(attributes) => (
                <Select
                  {...attributes}
                  className="w-48"
                  disabled={rulesLocked !== undefined}
                  value={field.value}
                  onValueChange={field.onChange}
                  options={CARDINALITIES.map((value) => ({ value, label: CARDINALITY_WORDS[value] }))}
                />
              )}
            </Field>
          )}
        />
        {isWithinOne && (
          <Controller
            control={control}
            name="allowSelfRelationship"
            render={({ field }) => (
              <div className="flex flex-col gap-1">
                <Switch
                  label="Allow self-relations"
                  disabled={rulesLocked !== undefined}
                  checked={field.value}
                  onCheckedChange={field.onChange}
                />
                <p className="text-muted text-xs">
                  Source and target are one data set: may a row be related to itself?
                </p>
              </div>
            )}
          />
        )}
        {props.children?.(typed.sourceDataSetId)}
        {!readOnly && (
          <div className="flex gap-2 border-hairline border-t pt-4">
            <Button variant="primary" type="submit" disabled={isSubmitting} aria-busy={isSubmitting}>
              {isSubmitting ? 'Saving…' : props.save}
            </Button>
            <Button asChild>
              <Link to={props.back}>Cancel</Link>
            </Button>
          </div>
        )}
      </fieldset>
      <LeaveGuard dirty={isDirty || (props.dirtyBeside ?? false)} />
    </form>
  );
}
