/** The page that changes the user's password. */
import { PageHeader } from '../../../components/page/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { PasswordChangeForm } from '../components/PasswordChangeForm.tsx';

export default function ChangePassword() {
  const user = useCurrentUser();
  return (
    <div className="mx-auto w-full max-w-lg">
      <PageHeader title="Change Password" />
      {user.authProvider === 'local' ? (
        <div className="rounded-md border border-hairline bg-surface p-4">
          <PasswordChangeForm />
        </div>
      ) : (
        <Alert tone="info">Your password is stored by {user.authProvider.toUpperCase()}. Change it there.</Alert>
      )}
    </div>
  );
}
