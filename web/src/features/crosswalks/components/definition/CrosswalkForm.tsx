/** The form of a crosswalk, with a preview of suggestions. */
import {
  CROSSWALK_CARDINALITIES,
  CROSSWALK_DEFAULTS,
  type CrosswalkCardinality,
  DefineCrosswalk,
  type Unmapped,
} from '@rdm/contracts/crosswalks/crosswalks';
import { type Control, Controller, useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { ChosenDataSet, SaveButtons } from '../../../../components/definitions/form.tsx';
import { EndPicker } from '../../../../components/end-picker/index.tsx';
import { LeaveGuard } from '../../../../components/leave-guard/index.tsx';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Field, Input, Textarea } from '../../../../components/ui/input.tsx';
import { Select } from '../../../../components/ui/select.tsx';
import { useDebounced } from '../../../../lib/debounce/index.ts';
import { CARDINALITY_WORDS } from '../../../../lib/definitions/words.ts';
import { zodResolver } from '../../../../lib/forms/index.ts';
import type { PreviewInput } from '../../api/crosswalks.ts';
import { CARDINALITY_RULES } from './definition-labels.ts';
import { SuggestionPreview } from './SuggestionPreview.tsx';
import { UnmappedFields } from './UnmappedFields.tsx';

const Form = DefineCrosswalk.extend({
  sourceSystemId: ChosenDataSet,
  targetSystemId: ChosenDataSet,
  description: z.string().trim().max(4_000),
  similarityThreshold: z.number().min(0).max(1),
}).refine((crosswalk) => crosswalk.sourceSystemId !== crosswalk.targetSystemId, {
  error: 'A crosswalk maps between two data sets: choose another target',
  path: ['targetSystemId'],
});

/** The input of the form. The data sets are undefined until the user chooses them. */
export interface CrosswalkDraft {
  name: string;
  description: string;
  sourceSystemId: number | undefined;
  targetSystemId: number | undefined;
  sourceAttribute: string;
  targetAttribute: string;
  similarityThreshold: number;
  cardinality: CrosswalkCardinality;
  unmapped: Unmapped;
  sourceLabelField: string | null;
  targetLabelField: string | null;
}

export const NEW_CROSSWALK: CrosswalkDraft = {
  name: '',
  description: '',
  sourceSystemId: undefined,
  targetSystemId: undefined,
  sourceAttribute: '',
  targetAttribute: '',
  similarityThreshold: 0.4,
  ...CROSSWALK_DEFAULTS,
  sourceLabelField: null,
  targetLabelField: null,
};

export interface CrosswalkFormProps {
  initial: CrosswalkDraft;
  /** The label of the save button. */
  save: string;
  /** The path that Cancel opens. */
  back: string;
  /** Saves, then opens another page. Returns a problem that the form must show. */
  onSave: (crosswalk: DefineCrosswalk) => Promise<{ problem?: string } | undefined>;
  /** Whether the crosswalk exists. The data sets of an existing crosswalk cannot be changed. */
  isExisting?: boolean;
  /** Why the attributes cannot be changed. */
  attributesLockReason?: string | undefined;
}

export function CrosswalkForm({
  initial,
  save,
  back,
  onSave,
  isExisting = false,
  attributesLockReason,
}: CrosswalkFormProps) {
  const { control, register, handleSubmit, setValue, setError, formState } = useForm<
    CrosswalkDraft,
    unknown,
    DefineCrosswalk
  >({
    resolver: zodResolver(Form) as never,
    defaultValues: initial,
  });
  const { errors, isDirty, isSubmitting } = formState;
  const values = useWatch({ control });
  const threshold = useDebounced(values.similarityThreshold ?? initial.similarityThreshold);

  const endPicker = (side: 'source' | 'target') => (
    <Controller
      control={control}
      name={`${side}SystemId`}
      render={({ field }) => (
        <EndPicker
          side={side}
          fieldWord="attribute"
          dataSetId={field.value}
          attribute={values[`${side}Attribute`] ?? ''}
          onDataSet={(id) => {
            field.onChange(id);
            setValue(`${side}Attribute`, '');
            setValue(`${side}LabelField`, null);
          }}
          labelField={{
            value: values[`${side}LabelField`] ?? null,
            onChange: (chosen) => setValue(`${side}LabelField`, chosen, { shouldDirty: true }),
          }}
          onAttribute={(name) => setValue(`${side}Attribute`, name, { shouldDirty: true, shouldValidate: true })}
          dataSetError={errors[`${side}SystemId`]?.message}
          attributeError={errors[`${side}Attribute`]?.message}
          dataSetFixed={isExisting ? 'The data sets of a crosswalk cannot be changed.' : undefined}
          attributeLocked={attributesLockReason !== undefined}
        />
      )}
    />
  );

  async function submit(crosswalk: DefineCrosswalk) {
    const failure = await onSave(crosswalk);
    if (failure?.problem !== undefined) setError('root', { message: failure.problem });
  }

  return (
    <div className="grid gap-6 xl:grid-cols-2">
      <form noValidate className="flex min-w-0 flex-col gap-4" onSubmit={(event) => void handleSubmit(submit)(event)}>
        {errors.root?.message !== undefined && (
          <Alert tone="error" title="The crosswalk was not saved">
            {errors.root.message}
          </Alert>
        )}
        <Field label="Name" required error={errors.name?.message}>
          {(field) => (
            <Input {...field} {...register('name')} required maxLength={200} autoFocus={initial.name === ''} />
          )}
        </Field>
        <Field label="Description" error={errors.description?.message}>
          {(field) => <Textarea {...field} {...register('description')} />}
        </Field>
        {attributesLockReason !== undefined && <Alert tone="info">{attributesLockReason}</Alert>}
        <div className="grid gap-4 sm:grid-cols-2">
          {endPicker('source')}
          {endPicker('target')}
        </div>
        <Field
          label={`Similarity threshold: ${Math.round((values.similarityThreshold ?? 0) * 100)}%`}
          hint="Suggestions with a lower similarity are omitted. A lower threshold finds more suggestions, but also more wrong ones."
          error={errors.similarityThreshold?.message}
        >
          {(field) => (
            <input
              {...field}
              type="range"
              min={0}
              max={1}
              step={0.05}
              className="w-full max-w-sm accent-accent"
              {...register('similarityThreshold', { valueAsNumber: true })}
            />
          )}
        </Field>
        <MappingRules
          control={control}
          fixedValueMissing={errors.unmapped !== undefined && 'value' in errors.unmapped}
        />
        <SaveButtons save={save} back={back} isSubmitting={isSubmitting} />
      </form>
      <SuggestionPreview input={previewOf(values, threshold)} />
      <LeaveGuard dirty={isDirty} />
    </div>
  );
}

interface MappingRulesProps {
  control: Control<CrosswalkDraft, unknown, DefineCrosswalk>;
  fixedValueMissing: boolean;
}

/** The fields for the cardinality and for unmapped values. */
function MappingRules({ control, fixedValueMissing }: MappingRulesProps) {
  return (
    <>
      <Controller
        control={control}
        name="cardinality"
        render={({ field }) => (
          <Field
            label="Cardinality"
            hint={
              field.value === 'MANY_TO_MANY'
                ? CARDINALITY_RULES[field.value]
                : `${CARDINALITY_RULES[field.value]} Mappings that break this rule cause a warning.`
            }
          >
            {(attributes) => (
              <Select
                {...attributes}
                className="w-full max-w-sm"
                value={field.value}
                onValueChange={field.onChange}
                options={CROSSWALK_CARDINALITIES.map((value) => ({ value, label: CARDINALITY_WORDS[value] }))}
              />
            )}
          </Field>
        )}
      />
      <Controller
        control={control}
        name="unmapped"
        render={({ field }) => (
          <UnmappedFields
            unmapped={field.value}
            onChange={field.onChange}
            problem={fixedValueMissing ? 'Enter the value' : undefined}
          />
        )}
      />
    </>
  );
}

/** Returns the input of the preview; undefined until two different data sets and both attributes are chosen. */
function previewOf(values: Partial<Omit<CrosswalkDraft, 'unmapped'>>, threshold: number): PreviewInput | undefined {
  const { sourceSystemId, targetSystemId, sourceAttribute, targetAttribute } = values;
  if (sourceSystemId === undefined || targetSystemId === undefined || sourceSystemId === targetSystemId)
    return undefined;
  if (!sourceAttribute || !targetAttribute) return undefined;
  return {
    ...{ sourceSystemId, targetSystemId, sourceAttribute, targetAttribute, threshold },
    sourceLabelField: values.sourceLabelField ?? undefined,
    targetLabelField: values.targetLabelField ?? undefined,
  };
}
