/** The buttons for single sign-on providers, if configured. */
import { providerLabel } from '@rdm/contracts/identity/single-sign-on';
import { LogIn } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../components/ui/button.tsx';
import { useAuthConfig } from '../../../lib/auth/config.ts';
import { startSignIn } from '../../../lib/auth/sso.ts';

/** `returnTo` is the path of the page from which the user was redirected to the sign-in page. */
export function SsoButtons({ returnTo }: { returnTo: string }) {
  const { data: config } = useAuthConfig();
  const [isLeaving, setLeaving] = useState(false);
  const providers = config?.providers ?? [];
  if (providers.length === 0) return null;
  return (
    <div className="mt-4 flex flex-col gap-3">
      <div className="flex items-center gap-3 text-muted text-xs">
        <span className="h-px flex-1 bg-hairline" />
        or
        <span className="h-px flex-1 bg-hairline" />
      </div>
      {providers.map((provider) => (
        <Button
          key={provider.name}
          className="w-full"
          disabled={isLeaving}
          aria-busy={isLeaving}
          onClick={async () => {
            setLeaving(true);
            if (!(await startSignIn(provider, returnTo))) setLeaving(false);
          }}
        >
          <LogIn aria-hidden="true" />
          Sign in with {providerLabel(provider.name)}
        </Button>
      ))}
    </div>
  );
}
