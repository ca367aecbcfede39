/** The page to sign in, register or request a password reset. Redirects signed-in users to the requested page. */
import { lazy, Suspense, useEffect, useState } from 'react';
import { Link, Navigate, useLocation, useSearchParams } from 'react-router-dom';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useAuthConfig } from '../../../lib/auth/config.ts';
import { useSession } from '../../../lib/auth/index.ts';
import { returnPath, type SignOutReason, takeSignOutReason } from '../../../lib/auth/sign-out-reason.ts';
import { ownPath } from '../../../lib/auth/sso.ts';
import { SignInForm } from '../components/SignInForm.tsx';
import { SignInLayout } from '../components/SignInLayout.tsx';
import { SsoButtons } from '../components/SsoButtons.tsx';

// Loaded on demand, because most users only sign in.
const RegisterForm = lazy(() => import('../components/RegisterForm.tsx'));
const ForgotPasswordForm = lazy(() => import('../components/ForgotPasswordForm.tsx'));

const MODES = {
  'sign-in': 'Sign in to continue.',
  register: 'Create an account.',
  forgot: 'Forgot your password?',
} as const;

export default function SignIn() {
  const { data: user } = useSession();
  const { data: config, isPending } = useAuthConfig();
  const { state } = useLocation();
  const [search] = useSearchParams();
  const [signOutReason, setSignOutReason] = useState<SignOutReason>();
  const [storedPath] = useState(returnPath);
  const from = ownPath((state as { from?: unknown } | null)?.from ?? storedPath);
  const isRegistrationOpen = config?.registration === 'open';
  const requestedMode = search.get('mode');
  // While the configuration is loading, assume that registration is open.
  const mode =
    requestedMode === 'forgot'
      ? 'forgot'
      : requestedMode === 'register' && (isRegistrationOpen || isPending)
        ? 'register'
        : 'sign-in';

  useEffect(() => {
    const reason = takeSignOutReason();
    if (reason === undefined) return;
    setSignOutReason(reason);
    notify[reason.kind ?? 'info'](reason.title, { description: reason.description });
  }, []);

  // Redirects users who are signed in, including users who have just signed in.
  if (user !== null && user !== undefined) return <Navigate to={from} replace />;

  const modeLink = (to: keyof typeof MODES, label: string) => (
    <Link to={to === 'sign-in' ? '/auth' : `/auth?mode=${to}`} state={state} className="text-accent underline">
      {label}
    </Link>
  );
  return (
    <SignInLayout lead={MODES[mode]} wide={mode === 'register'}>
      {/* The toast closes by itself; this text stays for users who return later. */}
      {signOutReason !== undefined && mode === 'sign-in' && (
        <Alert tone={signOutReason.kind ?? 'info'} title={signOutReason.title} className="mb-4">
          {signOutReason.description}
        </Alert>
      )}
      {mode === 'sign-in' && (
        <>
          <SignInForm />
          <SsoButtons returnTo={from} />
          <p className="mt-4 flex flex-wrap justify-between gap-x-4 gap-y-2">
            {modeLink('forgot', 'Forgot password?')}
            {isRegistrationOpen && modeLink('register', 'Create an account')}
          </p>
        </>
      )}
      {mode !== 'sign-in' && (
        <>
          <Suspense fallback={<Skeleton className="h-40" />}>
            {mode === 'forgot' ? (
              <ForgotPasswordForm />
            ) : isRegistrationOpen ? (
              <RegisterForm />
            ) : (
              <Skeleton className="h-40" />
            )}
          </Suspense>
          <p className="mt-4">{modeLink('sign-in', 'Back to sign in')}</p>
        </>
      )}
    </SignInLayout>
  );
}
