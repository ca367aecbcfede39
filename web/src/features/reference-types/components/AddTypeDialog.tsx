/** "Add New Type": name, description and the first fields (specification §2). */

import { TYPE_LIST_RELOAD_MS } from '@rdm/contracts/constants';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { createType, reloadTypes } from '../api/types.ts';
import { asSchemas, type DraftField, FieldRows, newField } from './FieldRows.tsx';
import { formProblem } from './validate.ts';

const FORM = 'add-reference-type';

export function AddTypeDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [emptyFields] = useState(() => [newField(1, true)]);
  const [fields, setFields] = useState<DraftField[]>(emptyFields);
  const [problem, setProblem] = useState<{ title: string; text: string }>();
  const [busy, setBusy] = useState(false);

  async function submit(event: FormEvent) {
    event.preventDefault();
    const invalid = formProblem(name, fields);
    if (invalid !== undefined) {
      notify.error(invalid, { title: 'Validation Error', shownInPage: true });
      setProblem({ title: 'Validation Error', text: invalid });
      return;
    }
    setProblem(undefined);
    setBusy(true);
    try {
      await createType({ name: name.trim(), description: description.trim(), schemas: asSchemas(fields) });
    } catch (error) {
      const text = `Failed to create reference type: ${messageOf(error)}`;
      notify.error(text, { shownInPage: true });
      setProblem({ title: 'Error', text });
      setBusy(false);
      return;
    }
    notify.success('Reference type created successfully');
    setTimeout(() => void reloadTypes(queries), TYPE_LIST_RELOAD_MS);
    onClose();
  }

  return (
    <FormDialog
      dirty={(name !== '' || description !== '' || fields !== emptyFields) && !busy}
      onClose={onClose}
      title="Add New Type"
      description="A type describes data sets of one kind by their fields."
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            {busy ? 'Creating…' : 'Create Type'}
          </Button>
        </>
      )}
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={(event) => void submit(event)}>
        {problem !== undefined && (
          <Alert tone="error" title={problem.title}>
            {problem.text}
          </Alert>
        )}
        <Field label="Name" required>
          {(control) => (
            <Input
              {...control}
              value={name}
              required
              aria-invalid={(problem !== undefined && name.trim() === '') || undefined}
              onChange={(event) => setName(event.target.value)}
              onKeyDown={(event) => {
                // Prevents Enter from submitting the form before its fields have names.
                if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
                event.preventDefault();
                event.currentTarget.form?.querySelector('textarea')?.focus();
              }}
            />
          )}
        </Field>
        <Field label="Description">
          {(control) => (
            <Textarea {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
          )}
        </Field>
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium">Schema fields</legend>
          <FieldRows fields={fields} checked={problem !== undefined} onChange={setFields} />
        </fieldset>
      </form>
    </FormDialog>
  );
}
