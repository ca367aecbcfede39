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

/** The input of the form. The data sets are undefined until the user chooses them. */
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
  /** The label of the save button. */
  save: string;
  /** The path that Cancel opens. */
  back: string;
  /** Saves, then opens another page. Returns a problem that the form must show. */
  onSave: (relationship: DefineRelationship) => Promise<{ problem?: string } | undefined>;
  /** Whether the relationship exists. The data sets and fields of an existing relationship cannot be changed. */
  isExisting?: boolean;
  readOnly?: boolean;
  /** Why `cardinality` and `allowSelfRelationship` cannot be changed; undefined if they can be changed. */
  rulesLockReason?: string | undefined;
  /** Whether the page has unsaved changes outside the form. */
  hasOtherChanges?: boolean;
  /** Renders additional fields, which `onSave` saves too. */
  children?: (sourceDataSetId: number | undefined) => ReactNode;
}

export function RelationshipForm(props: RelationshipFormProps) {
  const { initial, isExisting = false, readOnly = false, rulesLockReason } = props;
  const { control, register, handleSubmit, setValue, setError, formState } = useForm<
    RelationshipDraft,
    unknown,
    DefineRelationship
  >({ resolver: zodResolver(Form) as never, defaultValues: initial });
  const { errors, isDirty, isSubmitting } = formState;
  const values = useWatch({ control });
  const isWithinOneDataSet = values.sourceDataSetId !== undefined && values.sourceDataSetId === values.targetDataSetId;

  const endPicker = (side: 'source' | 'target') => (
    <Controller
      control={control}
      name={`${side}DataSetId`}
      render={({ field }) => (
        <EndPicker
          side={side}
          fieldWord="field"
          dataSetId={field.value}
          attribute={values[`${side}Field`] ?? ''}
          onDataSet={(id) => {
            field.onChange(id);
            setValue(`${side}Field`, '');
          }}
          onAttribute={(name) => setValue(`${side}Field`, name, { shouldDirty: true, shouldValidate: true })}
          dataSetError={errors[`${side}DataSetId`]?.message}
          attributeError={errors[`${side}Field`]?.message}
          dataSetFixed={isExisting ? 'The ends of a relationship cannot be changed.' : undefined}
          attributeLocked={isExisting}
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
          {endPicker('source')}
          {endPicker('target')}
        </div>
        {rulesLockReason !== undefined && <Alert tone="info">{rulesLockReason}</Alert>}
        <Controller
          control={control}
          name="cardinality"
          render={({ field }) => (
            <CardinalityField value={field.value} disabled={rulesLockReason !== undefined} onChange={field.onChange} />
          )}
        />
        {isWithinOneDataSet && (
          <Controller
            control={control}
            name="allowSelfRelationship"
            render={({ field }) => (
              <div className="flex flex-col gap-1">
                <Switch
                  label="Allow self-relations"
                  disabled={rulesLockReason !== undefined}
                  checked={field.value}
                  onCheckedChange={field.onChange}
                />
                <p className="text-muted text-xs">
                  Source and target are the same data set. With this setting, a row can be related to itself.
                </p>
              </div>
            )}
          />
        )}
        {props.children?.(values.sourceDataSetId)}
        {!readOnly && (
          <SaveButtons
            save={props.save}
            back={props.back}
            isSubmitting={isSubmitting}
            className="border-hairline border-t pt-4"
          />
        )}
      </fieldset>
      <LeaveGuard dirty={isDirty || (props.hasOtherChanges ?? false)} />
    </form>
  );
}
