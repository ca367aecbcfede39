/** The password dialog of the account menu. */
import { Dialog } from '../../../components/ui/dialog.tsx';
import { PasswordChangeForm } from './PasswordChangeForm.tsx';

export default function PasswordChangeDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title="Change Password">
      <PasswordChangeForm />
    </Dialog>
  );
}
