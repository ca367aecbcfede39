/** The form of a data set: name, description, type, key, label field, collections and public visibility. */
import { CreateDataSet } from '@rdm/contracts/data-sets/data-sets';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { useNavigate } from 'react-router-dom';
import { z } from 'zod';
import { LabelField } from '../../../components/label-field/index.tsx';
import { LeaveGuard } from '../../../components/leave-guard/index.tsx';
import { TypePicker } from '../../../components/type-picker/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { useNameWarning } from '../../../lib/data-sets/index.ts';
import { zodResolver } from '../../../lib/forms/index.ts';
import { CollectionsField } from './CollectionsField.tsx';
import { KeyFields } from './KeyFields.tsx';

const Form = CreateDataSet.omit({ collectionId: true, collectionIds: true, labelField: true }).extend({
  description: z.string().trim().max(4_000),
  typeId: z.number({ error: 'Choose a type' }).int().positive(),
  collections: z.array(z.object({ id: z.number(), name: z.string() })),
  isPublic: z.boolean(),
  /** Null if the server determines the label field from the names of the fields. */
  chosenLabelField: z.string().nullable(),
});
export type DataSetEdit = z.infer<typeof Form>;

/** The input of the form. The type is undefined until the user chooses one. */
export type DataSetDraft = Omit<DataSetEdit, 'typeId'> & { typeId: number | undefined };

export const NEW_DATA_SET: DataSetDraft = {
  name: '',
  description: '',
  typeId: undefined,
  collections: [],
  isPublic: false,
  chosenLabelField: null,
};

export interface DataSetFormProps {
  initial: DataSetDraft;
  /**
   * Saves the data set and opens the page `next`. Returns a problem that the form shows; undefined after success, or if
   * a dialog shows the problem.
   */
  onSave: (dataSet: DataSetEdit, next: string) => Promise<{ problem: string } | undefined>;
  /** The save buttons: the first is the primary one. */
  saves: readonly { next: string; label: string }[];
  /** Why the type cannot be changed; undefined if it can. */
  typeLockReason?: string;
}

export function DataSetForm({ initial, onSave, saves, typeLockReason }: DataSetFormProps) {
  const navigate = useNavigate();
  const { control, register, handleSubmit, setError, setValue, formState } = useForm<
    DataSetDraft,
    unknown,
    DataSetEdit
  >({
    resolver: zodResolver(Form) as never,
    defaultValues: initial,
  });
  const { errors, isDirty, isSubmitting } = formState;
  const typeId = useWatch({ control, name: 'typeId' });
  const nameWarning = useNameWarning(useWatch({ control, name: 'name' }), initial.name);
  const saveAndOpen = (next: string) =>
    handleSubmit(async (dataSet) => {
      const failure = await onSave(dataSet, next);
      if (failure !== undefined) setError('root', { message: failure.problem });
    });

  return (
    <form
      noValidate
      className="flex max-w-2xl flex-col gap-4 rounded-md border border-hairline bg-surface p-4"
      onSubmit={(event) => void saveAndOpen(saves[0]?.next ?? '')(event)}
    >
      {errors.root?.message !== undefined && (
        <Alert tone="error" title="The data set was not saved">
          {errors.root.message}
        </Alert>
      )}
      <Field label="Name" required warning={nameWarning} error={errors.name?.message}>
        {(field) => <Input {...field} {...register('name')} required maxLength={200} autoFocus={initial.name === ''} />}
      </Field>
      <Field label="Description" error={errors.description?.message}>
        {(field) => <Textarea {...field} {...register('description')} />}
      </Field>
      <Controller
        control={control}
        name="typeId"
        render={({ field }) => (
          <TypePicker
            value={field.value}
            onChange={(chosen) => {
              field.onChange(chosen);
              setValue('keyFields', undefined);
              setValue('chosenLabelField', null);
            }}
            error={errors.typeId?.message}
            hint={typeLockReason ?? 'The type defines the fields of the rows and the key.'}
            disabled={typeLockReason !== undefined}
          />
        )}
      />
      <Controller
        control={control}
        name="keyFields"
        render={({ field }) => (
          <KeyFields
            typeId={typeId}
            value={field.value}
            onChange={field.onChange}
            locked={typeLockReason !== undefined}
            error={errors.keyFields?.message}
          />
        )}
      />
      <Controller
        control={control}
        name="chosenLabelField"
        render={({ field }) => (
          <LabelField
            label="Label field"
            hint="The value of this field is shown beside the key of a row, in pickers, suggestions, comparisons and exports."
            noFieldLabel="Automatic, by the names of the fields"
            typeId={typeId}
            value={field.value}
            onChange={field.onChange}
          />
        )}
      />
      <Controller
        control={control}
        name="collections"
        render={({ field }) => <CollectionsField value={field.value} onChange={field.onChange} />}
      />
      <Controller
        control={control}
        name="isPublic"
        render={({ field }) => (
          <div className="flex flex-col gap-1">
            <Switch label="Public in the graph" checked={field.value} onCheckedChange={field.onChange} />
            <p className="text-muted text-xs">
              The name and the size are visible on the public graph page without signing in. The rows are not visible.
            </p>
          </div>
        )}
      />
      <div className="flex flex-wrap gap-2 border-hairline border-t pt-4">
        {saves.map(({ next, label }, index) => (
          <Button
            key={next}
            variant={index === 0 ? 'primary' : 'secondary'}
            type={index === 0 ? 'submit' : 'button'}
            disabled={isSubmitting}
            aria-busy={isSubmitting}
            onClick={index === 0 ? undefined : () => void saveAndOpen(next)()}
          >
            {label}
          </Button>
        ))}
        <Button variant="ghost" onClick={() => void navigate(-1)}>
          Cancel
        </Button>
      </div>
      <LeaveGuard dirty={isDirty} />
    </form>
  );
}
