/** A dialog that creates or edits a record with a name, a description and a few other fields. */
import { type FormEvent, type ReactNode, useState } from 'react';
import type { ZodType } from 'zod';
import { ApiError } from '../../lib/api/index.ts';
import { capitalized } from '../../lib/capitalized.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { FormDialog } from '../form-dialog/index.tsx';
import { notify } from '../toast/index.ts';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Field, Input, Textarea } from '../ui/input.tsx';

interface NamedRecord {
  name: string;
  description: string;
}

export interface NameDialogProps<Values extends NamedRecord> {
  /** The kind of record in titles and messages, such as `role`. */
  noun: string;
  description: string;
  /** The record as it was when the dialog opened; undefined for a new record. */
  stored: NamedRecord | undefined;
  /** The values of the fields other than name and description. */
  otherValues: Omit<Values, keyof NamedRecord>;
  /** Whether the user changed `otherValues`. */
  hasOtherChanges: boolean;
  /** The server's schema for a new record. The dialog also validates changes of a stored record by this schema. */
  schema: ZodType<Values>;
  /** Saves the record; returns the URL for a link in the success message, or undefined. */
  save: (values: Values) => Promise<string | undefined>;
  onClose: () => void;
  /** Renders content above the fields. `changed`: whether the user changed anything. */
  notice?: (changed: boolean) => ReactNode;
  /** Renders the fields below the description. `problemOf` returns the problem of a field after an attempt to save. */
  children?: (problemOf: (field: string) => string | undefined) => ReactNode;
}

export function NameDialog<Values extends NamedRecord>(props: NameDialogProps<Values>) {
  const { noun, stored, otherValues, schema, onClose } = props;
  const [name, setName] = useState(stored?.name ?? '');
  const [description, setDescription] = useState(stored?.description ?? '');
  const [showsProblems, setShowsProblems] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const parsed = schema.safeParse({ ...otherValues, name, description });
  const problemOf = (field: string) =>
    showsProblems ? parsed.error?.issues.find((issue) => issue.path[0] === field)?.message : undefined;
  const changed = name !== (stored?.name ?? '') || description !== (stored?.description ?? '') || props.hasOtherChanges;
  const form = `${noun}-form`;

  async function save(event: FormEvent) {
    event.preventDefault();
    setShowsProblems(true);
    if (!parsed.success) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const href = await props.save(parsed.data);
      notify.success(`${capitalized(noun)} ${stored === undefined ? 'created' : 'saved'}`, {
        description: parsed.data.name,
        ...(href !== undefined && { href }),
      });
      onClose();
    } catch (error) {
      const stale = error instanceof ApiError && error.code === 'STALE';
      setProblem(
        stale ? `${messageOf(error)}. Close this dialog and open it again to see the change.` : messageOf(error),
      );
      setBusy(false);
    }
  }

  return (
    <FormDialog
      dirty={changed && !busy}
      onClose={onClose}
      title={stored === undefined ? `Create a ${noun}` : `Edit ${stored.name}`}
      description={props.description}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={form} disabled={busy} aria-busy={busy}>
            {stored === undefined ? `Create ${noun}` : 'Save'}
          </Button>
        </>
      )}
    >
      <form id={form} noValidate className="flex flex-col gap-4" onSubmit={(event) => void save(event)}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {props.notice?.(changed)}
        <Field label="Name" required error={problemOf('name')}>
          {(control) => <Input {...control} required value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label="Description" error={problemOf('description')}>
          {(control) => (
            <Textarea {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
          )}
        </Field>
        {props.children?.(problemOf)}
      </form>
    </FormDialog>
  );
}
