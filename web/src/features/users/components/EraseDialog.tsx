/** Erases a user: this cannot be undone, so the name must be typed first. */
import type { UserView } from '@rdm/contracts/identity/identity';
import { useState } from 'react';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { nameOf } from './profile.ts';

export interface EraseDialogProps {
  user: UserView;
  onErase: () => void;
  onClose: () => void;
}

export function EraseDialog({ user, onErase, onClose }: EraseDialogProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Erase ${nameOf(user)}?`}
      description="This action cannot be undone."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" disabled={typed !== user.username} onClick={onErase}>
            Erase
          </Button>
        </>
      }
    >
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed === user.username) onErase();
        }}
      >
        <Alert tone="warning">
          Their name, addresses, password, sessions and sign-in attempts are permanently removed. Their changes stay in
          the audit log under “Former user”.
        </Alert>
        <Field label={`Type ${user.username} to confirm`}>
          {(control) => (
            <Input {...control} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
