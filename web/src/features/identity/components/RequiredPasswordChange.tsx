/**
 * Replaces any page while the user must change the password; closing the dialog signs the user out (specification §2).
 */
import { Dialog } from '../../../components/ui/dialog.tsx';
import { logout } from '../../../lib/auth/logout.ts';
import { PasswordChangeForm } from './PasswordChangeForm.tsx';

export default function RequiredPasswordChange() {
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) void logout();
      }}
      title="Change Password Required"
      description="You must change your password before you can continue."
      closeLabel="Close and sign out"
    >
      <PasswordChangeForm />
    </Dialog>
  );
}
