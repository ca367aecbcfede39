/** The states of a user as badges. An erased user has only the badge “Erased”. */
import type { UserView } from '@rdm/contracts/identity/identity';
import { format } from 'date-fns';
import { Badge } from '../../../components/ui/badge.tsx';

export function statesOf(user: UserView): string[] {
  if (user.isErased) return ['Erased'];
  return [
    user.isActive ? 'Active' : 'Inactive',
    ...(user.isLocked ? ['Locked'] : []),
    ...(user.requirePasswordChange ? ['Must change password'] : []),
  ];
}

export function UserState({ user }: { user: UserView }) {
  return (
    <span className="flex flex-wrap gap-1">
      {statesOf(user).map((state) => (
        <Badge
          key={state}
          tone={state === 'Active' ? 'accent' : state === 'Erased' || state === 'Inactive' ? 'outline' : 'neutral'}
          title={
            state === 'Locked' && user.lockedUntil !== null
              ? `Until ${format(new Date(user.lockedUntil), 'yyyy-MM-dd HH:mm')}`
              : undefined
          }
        >
          {state}
        </Badge>
      ))}
    </span>
  );
}

const LOCAL = 'local';

/** The name of the sign-in provider; "Local" for an account with a password. */
export const providerName = (authProvider: string): string => (authProvider === LOCAL ? 'Local' : authProvider);

export const isLocal = (user: Pick<UserView, 'authProvider'>): boolean => user.authProvider === LOCAL;
