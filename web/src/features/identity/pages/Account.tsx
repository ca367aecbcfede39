/** The user's account: profile and role, the level on each collection, and the theme of this browser. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Loaded } from '../../../components/empty-state/loaded.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { logout } from '../../../lib/auth/logout.ts';
import { setTheme, THEME_OPTIONS, useTheme } from '../../../lib/theme/index.ts';
import { ownCollectionsQuery } from '../api/account.ts';

export default function Account() {
  const user = useCurrentUser();
  const isLocal = user.authProvider === 'local';
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-6">
      <PageHeader
        title="Your account"
        actions={
          <>
            {isLocal && (
              <Button asChild>
                <Link to="/change-password">Change password</Link>
              </Button>
            )}
            <Button onClick={() => void logout()}>Logout</Button>
          </>
        }
      />
      <Section title="You">
        <Entries>
          <Entry label="Name">{user.displayName ?? user.username}</Entry>
          <Entry label="Username">{user.username}</Entry>
          <Entry label="E-mail">{user.email}</Entry>
          <Entry label="Role">{user.roleName}</Entry>
          <Entry label="Signed in with">{isLocal ? 'username and password' : user.authProvider.toUpperCase()}</Entry>
        </Entries>
      </Section>
      {mayOpen('/collections', user) && <OwnLevels />}
      <Section title="This browser">
        <Entries>
          <Entry label="Theme">
            <ThemeSelect />
          </Entry>
        </Entries>
      </Section>
    </div>
  );
}

/** The user's level on each collection. */
function OwnLevels() {
  const collections = useQuery(ownCollectionsQuery);
  return (
    <Section title="Your levels" note={<Link to="/help/levels-and-roles">What does a level allow?</Link>}>
      <Loaded result={collections}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="px-4 py-3 text-muted">
              No collection is shared with you. An administrator can grant a level.
            </p>
          ) : (
            <Entries>
              {items.map(({ id, name, level }) => (
                <Entry key={id} label={<Link to={`/collections/${id}`}>{name}</Link>}>
                  <Badge>{level}</Badge>
                </Entry>
              ))}
            </Entries>
          )
        }
      </Loaded>
    </Section>
  );
}

function ThemeSelect() {
  const theme = useTheme();
  return <Select aria-label="Theme" className="w-40" value={theme} onValueChange={setTheme} options={THEME_OPTIONS} />;
}

function Section({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <div className="mb-2 flex flex-wrap items-baseline gap-x-4">
        <h2 className="font-semibold text-base">{title}</h2>
        {note !== undefined && <span className="text-accent [&_a]:underline">{note}</span>}
      </div>
      <div className="rounded-md border border-hairline bg-surface">{children}</div>
    </section>
  );
}

const Entries = ({ children }: { children: ReactNode }) => <dl className="divide-y divide-hairline">{children}</dl>;

function Entry({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2">
      <dt className="text-muted [&_a]:text-accent [&_a]:hover:underline">{label}</dt>
      <dd className="wrap-anywhere min-w-0">{children}</dd>
    </div>
  );
}
