/** The dialog that adds or edits an attribute of a relationship. */
import { DATA_TYPES } from '@rdm/contracts/text/rows';
import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { zodResolver } from '../../../lib/forms/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import type { AttributeEdit } from '../api/relationships.ts';
import { attributeForm, NEW_ATTRIBUTE } from './attributes.ts';

const FORM_ID = 'attribute';

export interface AttributeDialogProps {
  /** Undefined for a new attribute. */
  attribute: AttributeEdit | undefined;
  /** The names of the other attributes. */
  otherNames: readonly string[];
  /** Why the data type cannot be changed; undefined if it can be changed. */
  dataTypeLockReason: string | undefined;
  /** The dialog shows an error that this function throws. */
  onSave: (attribute: AttributeEdit) => void | Promise<void>;
  onClose: () => void;
}

export function AttributeDialog({ attribute, otherNames, dataTypeLockReason, onSave, onClose }: AttributeDialogProps) {
  const [problem, setProblem] = useState<string>();
  const { control, register, handleSubmit, formState } = useForm<AttributeEdit, unknown, AttributeEdit>({
    resolver: zodResolver(attributeForm(otherNames)) as never,
    defaultValues: attribute ?? NEW_ATTRIBUTE,
  });
  const { errors, isDirty, isSubmitting } = formState;

  async function save(edit: AttributeEdit) {
    setProblem(undefined);
    try {
      await onSave(edit);
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
    }
  }

  return (
    <FormDialog
      dirty={isDirty}
      onClose={onClose}
      title={attribute === undefined ? 'Add an attribute' : `Edit ${attribute.name}`}
      description="Data that each value has in addition to its two rows."
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM_ID} disabled={isSubmitting} aria-busy={isSubmitting}>
            {attribute === undefined ? 'Add attribute' : 'Save attribute'}
          </Button>
        </>
      )}
    >
      <form
        id={FORM_ID}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          // React also passes the event to a form around this dialog: that form must not be submitted.
          event.stopPropagation();
          void handleSubmit(save)(event);
        }}
      >
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <Field label="Name" required error={errors.name?.message}>
          {(field) => <Input {...field} {...register('name')} required maxLength={200} autoComplete="off" />}
        </Field>
        <Controller
          control={control}
          name="dataType"
          render={({ field }) => (
            <Field label="Data type" required hint={dataTypeLockReason} error={errors.dataType?.message}>
              {(attributes) => (
                <Select
                  {...attributes}
                  className="w-40"
                  disabled={dataTypeLockReason !== undefined}
                  value={field.value}
                  onValueChange={field.onChange}
                  options={DATA_TYPES.map((value) => ({ value, label: value }))}
                />
              )}
            </Field>
          )}
        />
        <Controller
          control={control}
          name="isRequired"
          render={({ field }) => (
            <LabelledCheckbox
              label="Required"
              checked={field.value}
              onCheckedChange={(ticked) => field.onChange(ticked === true)}
            />
          )}
        />
        <Field label="Description" error={errors.description?.message}>
          {(field) => <Textarea {...field} {...register('description')} />}
        </Field>
      </form>
    </FormDialog>
  );
}
