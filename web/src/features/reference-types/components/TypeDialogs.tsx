/** The dialogs for a type in the list: its schema, the impact of an edit or deletion, a confirmation and a conflict. */
import type { ReferenceTypeView } from '@rdm/contracts/reference-types/reference-types';
import { ConflictDialog } from '../../../components/conflict/index.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { ImpactDialog } from './ImpactDialog.tsx';
import type { InlineEdit } from './inline-edit.tsx';
import { SchemaDrawer } from './SchemaDrawer.tsx';
import { useDeleteType } from './useDeleteType.ts';

export interface TypeDialog {
  type: ReferenceTypeView;
  step: 'edit-impact' | 'delete-impact' | 'delete-confirm' | 'schema';
}

export interface TypeDialogsProps {
  dialog: TypeDialog | undefined;
  onChange: (dialog: TypeDialog | undefined) => void;
  inline: InlineEdit;
  mayChange: boolean;
}

export function TypeDialogs({ dialog, onChange, inline, mayChange }: TypeDialogsProps) {
  const remove = useDeleteType();
  const close = () => onChange(undefined);
  return (
    <>
      {dialog?.step === 'edit-impact' && (
        <ImpactDialog
          type={dialog.type}
          intent="edit"
          onCancel={close}
          onProceed={() => {
            inline.begin(dialog.type);
            close();
          }}
        />
      )}
      {dialog?.step === 'delete-impact' && (
        <ImpactDialog
          type={dialog.type}
          intent="delete"
          onCancel={close}
          onProceed={() => onChange({ type: dialog.type, step: 'delete-confirm' })}
        />
      )}
      {dialog?.step === 'delete-confirm' && (
        <Confirm
          open
          onOpenChange={(open) => !open && close()}
          title="Delete reference data type?"
          description={`This will permanently delete the reference data type "${dialog.type.name}". This action cannot be undone.`}
          confirm="Delete"
          onConfirm={() => {
            close();
            void remove(dialog.type);
          }}
        />
      )}
      {dialog?.step === 'schema' && <SchemaDrawer type={dialog.type} mayChange={mayChange} onClose={close} />}
      {inline.conflict !== undefined && (
        <ConflictDialog
          overlaps={inline.conflict.overlaps}
          labels={{ name: 'Name', description: 'Description' }}
          onCancel={inline.closeConflict}
          onResolve={inline.resolve}
        />
      )}
    </>
  );
}
