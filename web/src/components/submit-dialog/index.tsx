/** A dialog with a form. If sending fails, the dialog shows the reason and stays open. */

import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { messageOf } from '../../lib/messages/index.ts';
import { FormDialog } from '../form-dialog/index.tsx';
import { Alert } from '../ui/alert.tsx';
import { Button } from '../ui/button.tsx';

export interface SubmitDialogProps {
  title: string;
  description: ReactNode;
  submit: string;
  destructive?: boolean;
  /** Whether the form cannot be sent, for example because the input is incomplete. */
  disabled?: boolean;
  /** Sends the form; throws the error if the server refuses it. */
  onSubmit: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}

export function SubmitDialog({
  title,
  description,
  submit,
  destructive = false,
  disabled = false,
  onSubmit,
  onClose,
  children,
}: SubmitDialogProps) {
  const form = useId();
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  /** Whether the user has typed anything other than a password. A password need not be protected from loss. */
  const [isTyped, setTyped] = useState(false);

  async function send(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await onSubmit();
      onClose();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  }

  return (
    <FormDialog
      dirty={isTyped && !busy}
      onClose={onClose}
      title={title}
      description={description}
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button
            variant={destructive ? 'danger' : 'primary'}
            type="submit"
            form={form}
            disabled={busy || disabled}
            aria-busy={busy}
          >
            {submit}
          </Button>
        </>
      )}
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onInput={({ target }) => setTyped(isTyped || (target as HTMLInputElement).type !== 'password')}
        onSubmit={(event) => void send(event)}
      >
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {children}
      </form>
    </FormDialog>
  );
}
