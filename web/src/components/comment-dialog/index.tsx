/** A dialog that takes an optional comment or a required reason before an action. */

import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { FormDialog } from '../form-dialog/index.tsx';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';
import { Field, Textarea } from '../ui/input.tsx';

export interface CommentDialogProps {
  title: ReactNode;
  /** What the action affects, and its result. */
  description: ReactNode;
  /** A warning that does not prevent the action. */
  warning?: ReactNode;
  /** A note that is not a warning, shown below the description. */
  details?: ReactNode;
  confirm: string;
  /** The initial text. */
  text?: string;
  /** Whether a reason is required instead of an optional comment, for example to reject the work of another user. */
  reasonRequired?: boolean;
  destructive?: boolean;
  busy?: boolean;
  onConfirm: (comment: string | undefined) => void;
  onCancel: () => void;
}

export function CommentDialog({
  title,
  description,
  warning,
  details,
  confirm,
  text: initialText = '',
  reasonRequired = false,
  destructive = false,
  busy = false,
  onConfirm,
  onCancel,
}: CommentDialogProps) {
  const form = useId();
  const [text, setText] = useState(initialText);
  const [hasTriedToSubmit, setHasTriedToSubmit] = useState(false);
  const isReasonMissing = reasonRequired && text.trim() === '';

  function submit(event: FormEvent) {
    event.preventDefault();
    setHasTriedToSubmit(true);
    if (!isReasonMissing) onConfirm(text.trim() === '' ? undefined : text.trim());
  }

  return (
    <FormDialog
      dirty={text.trim() !== '' && !busy}
      onClose={onCancel}
      title={title}
      description={description}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button
            type="submit"
            form={form}
            variant={destructive ? 'danger' : 'primary'}
            disabled={busy}
            aria-busy={busy}
          >
            {confirm}
          </Button>
        </>
      )}
    >
      <form id={form} noValidate className="flex flex-col gap-4" onSubmit={submit}>
        {warning !== undefined && <Alert tone="warning">{warning}</Alert>}
        {details}
        <Field
          label={reasonRequired ? 'Reason' : 'Comment'}
          required={reasonRequired}
          hint={
            reasonRequired
              ? 'Shown to all users who can see the history.'
              : 'Optional. Shown to all users who can see the history.'
          }
          error={hasTriedToSubmit && isReasonMissing ? 'A reason is required' : undefined}
        >
          {(control) => (
            <Textarea
              {...control}
              required={reasonRequired}
              maxLength={4_000}
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit(event);
              }}
            />
          )}
        </Field>
      </form>
    </FormDialog>
  );
}
