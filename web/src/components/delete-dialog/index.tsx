/** Deletes a record after confirmation, and reports the result. */

import { capitalized } from '../../lib/capitalized.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { notify } from '../toast/index.ts';
import { Confirm } from '../ui/dialog.tsx';

export interface DeleteDialogProps {
  /** The kind of record in messages, such as `role`. */
  noun: string;
  name: string;
  /** Describes the consequence of the deletion. */
  description: string;
  onDelete: () => Promise<unknown>;
  /** Called after the deletion, to read the list again. */
  onDeleted: () => Promise<unknown>;
  onClose: () => void;
}

export function DeleteDialog({ noun, name, description, onDelete, onDeleted, onClose }: DeleteDialogProps) {
  async function remove() {
    onClose();
    try {
      await onDelete();
      notify.success(`${capitalized(noun)} deleted`, { description: name });
      await onDeleted();
    } catch (error) {
      notify.error(messageOf(error), { title: `The ${noun} was not deleted` });
    }
  }

  return (
    <Confirm
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete ${name}?`}
      description={`${description} This action cannot be undone.`}
      confirm="Delete"
      onConfirm={() => void remove()}
    />
  );
}
