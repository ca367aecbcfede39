/** Requests confirmation before a user is deactivated, and shows how many API keys of the user keep working. */
import type { UserView } from '@rdm/contracts/identity/identity';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router-dom';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { userQuery } from '../api/users.ts';
import { nameOf } from './profile.ts';

export interface DeactivateDialogProps {
  user: UserView;
  onDeactivate: () => void;
  onClose: () => void;
}

export function DeactivateDialog({ user, onDeactivate, onClose }: DeactivateDialogProps) {
  const { data } = useQuery(userQuery(user.id));
  return (
    <Confirm
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Deactivate ${nameOf(user)}?`}
      description={
        <>
          They are signed out immediately and cannot sign in until an administrator reactivates them. Their changes stay
          under their name.
          {data !== undefined && data.activeApiKeys > 0 && (
            <span className="mt-2 block">
              {data.activeApiKeys === 1
                ? '1 active API key that they created keeps working. If it is no longer needed, go to'
                : `${data.activeApiKeys} active API keys that they created keep working. If some are no longer needed, go to`}{' '}
              <Link to="/api-keys" className="text-accent underline underline-offset-2" onClick={onClose}>
                API Keys
              </Link>{' '}
              and revoke {data.activeApiKeys === 1 ? 'it' : 'them'}.
            </span>
          )}
        </>
      }
      confirm="Deactivate"
      busy={data === undefined}
      onConfirm={onDeactivate}
    />
  );
}
