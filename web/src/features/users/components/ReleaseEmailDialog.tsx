/** Requests confirmation before the e-mail address of an account is released, and explains the consequences. */
import type { UserView } from '@rdm/contracts/identity/identity';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { nameOf } from './profile.ts';

export interface ReleaseEmailDialogProps {
  user: UserView;
  onRelease: () => void;
  onClose: () => void;
}

export function ReleaseEmailDialog({ user, onRelease, onClose }: ReleaseEmailDialogProps) {
  return (
    <Confirm
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Release the e-mail address of ${nameOf(user)}?`}
      description={
        <>
          The user of this account never confirmed the address{' '}
          <span className="break-all font-medium text-ink">{user.email}</span>. After the release, the owner of the
          address can sign in through the sign-in provider.
          <span className="mt-2 block">
            The account keeps its username <span className="break-all font-medium text-ink">{user.username}</span>, its
            password and its data, and stays signed in. It can neither sign in with the address nor reset its password
            by mail until you enter another address under Edit.
          </span>
        </>
      }
      confirm="Release address"
      onConfirm={onRelease}
    />
  );
}
