/**
 * The account menu: the signed-in user, a link to the account page, the password change of a local account, and the
 * sign-out (specification §2). On a phone, the menu also contains the themes.
 */
import { CircleUser, KeyRound, LogOut } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { Link } from 'react-router-dom';
import { Badge } from '../../components/ui/badge.tsx';
import { Button } from '../../components/ui/button.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/ui/dropdown-menu.tsx';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { logout } from '../../lib/auth/logout.ts';
import { ThemeChoices } from './theme-menu.tsx';

const PasswordChangeDialog = lazy(() => import('../../features/identity/components/PasswordChangeDialog.tsx'));
const LOCAL = 'local';

export function AccountMenu() {
  const user = useCurrentUser();
  const [isChangingPassword, setChangingPassword] = useState(false);
  const name = user.displayName ?? user.username;
  const usesSingleSignOn = user.authProvider !== LOCAL;
  return (
    <>
      <Menu
        className="w-60"
        trigger={
          <Button variant="ghost" size="icon" aria-label={`Account of ${name}`}>
            <span
              aria-hidden="true"
              className="flex size-7 items-center justify-center rounded-full bg-accent font-medium text-accent-ink text-xs"
            >
              {initials(name)}
            </span>
          </Button>
        }
      >
        <div className="px-2 py-1.5">
          <p className="truncate font-medium">{name}</p>
          <p className="truncate text-muted text-xs">{user.email}</p>
          <div className="mt-1 flex gap-1">
            <Badge>{user.roleName}</Badge>
            {usesSingleSignOn && <Badge tone="accent">{user.authProvider.toUpperCase()}</Badge>}
          </div>
        </div>
        <MenuSeparator />
        <MenuItem asChild>
          <Link to="/account">
            <CircleUser />
            Your account
          </Link>
        </MenuItem>
        {!usesSingleSignOn && (
          <MenuItem onSelect={() => setChangingPassword(true)}>
            <KeyRound />
            Change Password
          </MenuItem>
        )}
        <div className="sm:hidden">
          <MenuSeparator />
          <ThemeChoices />
          <MenuSeparator />
        </div>
        <MenuItem onSelect={() => void logout()}>
          <LogOut />
          Logout
        </MenuItem>
      </Menu>
      {isChangingPassword && (
        <Suspense>
          <PasswordChangeDialog onClose={() => setChangingPassword(false)} />
        </Suspense>
      )}
    </>
  );
}

function initials(name: string): string {
  const words = name.split(/[\s._-]+/).filter((word) => word !== '');
  return words
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join('');
}
