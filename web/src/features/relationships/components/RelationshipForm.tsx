/** The form of a relationship: name, type, source and target, and the rules for its values. */
import { CARDINALITIES, DefineRelationship } from '@rdm/contracts/relationships/relationships';
import type { ReactNode } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { ChosenDataSet, SaveButtons } from '../../../components/definitions/form.tsx';
import { EndPicker } from '../../../components/end-picker/index.tsx';
import { LeaveGuard } from '../../../components/leave-guard/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { zodResolver } from '../../../lib/forms/index.ts';
import { CardinalityField } from './CardinalityField.tsx';

const FieldName = z.string().min(1, 'Choose a field');
const Form = DefineRelationship.extend({
  relationshipType: z.string().trim().max(200),
  cardinality: z.enum(CARDINALITIES),
  sourceDataSetId: ChosenDataSet,
  targetDataSetId: ChosenDataSet,
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
  /** The path that Cancel opens. */
  back: string;
  /** Saves and navigates to another page. If that fails, returns the problem to show in the form, unless a dialog shows it. */
  onSave: (relationship: DefineRelationship) => Promise<{ problem?: string } | undefined>;
  /** Whether the relationship exists: its data sets and fields can then no longer be changed. */
  existing?: boolean;
  /** Whether the user can only read the relationship. */
  readOnly?: boolean;
  /** Why cardinality and `allowSelfRelationship` cannot be changed; undefined if they can. */
  rulesLocked?: string | undefined;
  /** Whether there are unsaved changes outside of the form. */
  dirtyOutside?: boolean;
  /** Renders fields before the buttons that the caller saves with the relationship; receives the selected source data set. */
  children?: (sourceDataSetId: number | undefined) => ReactNode;
}

export function RelationshipForm(props: RelationshipFormProps) {
  const { initial, existing = false, readOnly = false, rulesLocked } = props;
  const { control, register, handleSubmit, setValue, setError, formState } = useForm<
    RelationshipDraft,
    unknown,
    DefineRelationship
  >({ resolver: zodResolver(Form) as never, defaultValues: initial });
  const { errors, isDirty, isSubmitting } = formState;
  const typed = useWatch({ control });
  const isWithinOne = typed.sourceDataSetId !== undefined && typed.sourceDataSetId === typed.targetDataSetId;

  const end = (side: 'source' | 'target') => (
    <Controller
      control={control}
      name={`${side}DataSetId`}
      render={({ field }) => (
        <EndPicker
          side={side}
          fieldWord="field"
          dataSetId={field.value}
          attribute={typed[`${side}Field`] ?? ''}
          onDataSet={(id) => {
            field.onChange(id);
            setValue(`${side}Field`, '');
          }}
          onAttribute={(name) => setValue(`${side}Field`, name, { shouldDirty: true, shouldValidate: true })}
          dataSetError={errors[`${side}DataSetId`]?.message}
          attributeError={errors[`${side}Field`]?.message}
          dataSetFixed={existing ? 'The ends of a relationship cannot be changed.' : undefined}
          attributeLocked={existing}
        />
      )}
    />
  );

  async function submit(relationship: DefineRelationship) {
    const failure = await props.onSave(relationship);
    if (failure?.problem !== undefined) setError('root', { message: failure.problem });
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
          {end('source')}
          {end('target')}
        </div>
        {rulesLocked !== undefined && <Alert tone="info">{rulesLocked}</Alert>}
        <Controller
          control={control}
          name="cardinality"
          render={({ field }) => (
            <CardinalityField value={field.value} disabled={rulesLocked !== undefined} onChange={field.onChange} />
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
          <SaveButtons
            save={props.save}
            back={props.back}
            isSubmitting={isSubmitting}
            className="border-hairline border-t pt-4"
          />
        )}
      </fieldset>
      <LeaveGuard dirty={isDirty || (props.dirtyOutside ?? false)} />
    </form>
  );
}
