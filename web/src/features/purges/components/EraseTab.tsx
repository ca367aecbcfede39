/**
 * Erases a user for good. Before the erasure, the tab lists the texts that name the user, legal holds that prevent the
 * erasure, and backups that contain the user.
 */
import type { ErasureReport } from '@rdm/contracts/identity/erasure';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, useQueryState } from 'nuqs';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useSearchText } from '../../../lib/debounce/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { eraseUser, erasureReportQuery } from '../api/erasure.ts';
import { holdTargetsQuery } from '../api/hold-targets.ts';
import { countText } from './words.ts';

export function EraseTab() {
  const [userId, setUserId] = useQueryState('user', parseAsInteger);
  return (
    <div className="flex min-h-0 max-w-2xl flex-1 flex-col gap-6 overflow-y-auto py-4">
      <UserField onChoose={(id) => void setUserId(id)} />
      {userId !== null && <Report key={userId} userId={userId} onErased={() => void setUserId(null)} />}
    </div>
  );
}

function UserField({ onChoose }: { onChoose: (id: number) => void }) {
  const { search, setSearch, debounced, isAnswered } = useSearchText();
  const users = useQuery(holdTargetsQuery('user', debounced));
  return (
    <Field label="User" hint="Active and deactivated users.">
      {(control) => (
        <Combobox
          {...control}
          label="users"
          value={undefined}
          placeholder="Choose a user…"
          search={search}
          onSearchChange={setSearch}
          loading={!isAnswered(users)}
          empty="No matching users."
          options={(users.data ?? []).map(({ id, name, detail }) => ({ value: String(id), label: name, detail }))}
          onValueChange={(value) => onChoose(Number(value))}
        />
      )}
    </Field>
  );
}

function Report({ userId, onErased }: { userId: number; onErased: () => void }) {
  const { data: report, error, refetch } = useQuery(erasureReportQuery(userId));
  if (report === undefined) {
    return error === null ? <Skeleton className="h-40" /> : <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  return (
    <section aria-label="Report" className="flex flex-col gap-4 text-sm">
      <h2 className="font-semibold text-base">
        {report.displayName ?? report.username}
        {report.displayName !== null && <span className="font-normal text-muted"> {report.username}</span>}
      </h2>
      {report.holds.length > 0 && (
        <Alert tone="error" title="A legal hold protects this user from erasure">
          {report.holds.map(({ matter }) => matter).join(', ')}. Release each hold on the tab Legal holds first.
        </Alert>
      )}
      <Mentions report={report} />
      {report.backups.length > 0 && (
        <Alert tone="warning">
          {countText(report.backups.length, 'backup still contains', 'backups still contain')} this user:{' '}
          {report.backups.join(', ')}. You can delete backups on the page Database Backup.
        </Alert>
      )}
      {report.holds.length === 0 && <EraseForm report={report} onErased={onErased} />}
    </section>
  );
}

function Mentions({ report: { mentions, searched } }: { report: ErasureReport }) {
  if (mentions.length === 0) {
    return (
      <p>No name, description, comment, reason or cell contains {searched.map((each) => `“${each}”`).join(' or ')}.</p>
    );
  }
  return (
    <div>
      <h3 className="font-medium">Where {searched.map((each) => `“${each}”`).join(' or ')} is written</h3>
      <p className="text-muted">
        Erasing the user does not change these texts. Change or delete them first, and purge the deleted items.
      </p>
      <ul className="list-disc pl-4">
        {mentions.map(({ place, count, path }) => (
          <li key={`${place} ${path}`}>
            {path === null ? place : <Link to={path}>{place}</Link>}: {countText(count, 'place', 'places')}
          </li>
        ))}
      </ul>
    </div>
  );
}

function EraseForm({ report, onErased }: { report: ErasureReport; onErased: () => void }) {
  const queries = useQueryClient();
  const [typedName, setTypedName] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function erase() {
    setBusy(true);
    setProblem(undefined);
    try {
      await eraseUser(queries, report.id);
      notify.success('User erased');
      onErased();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  }

  return (
    <form
      className="flex flex-col gap-4 border-hairline border-t pt-4"
      onSubmit={(event) => {
        event.preventDefault();
        void erase();
      }}
    >
      <Alert tone="warning">
        Their name, addresses, password, sessions and sign-in attempts are permanently removed. Their changes stay in
        the audit log under “Former user”.
      </Alert>
      {problem !== undefined && <Alert tone="error">{problem}</Alert>}
      <Field label={`Type ${report.username} to confirm`}>
        {(control) => (
          <Input
            {...control}
            autoComplete="off"
            value={typedName}
            onChange={(event) => setTypedName(event.target.value)}
          />
        )}
      </Field>
      <div>
        <Button type="submit" variant="danger" disabled={busy || typedName !== report.username} aria-busy={busy}>
          Erase
        </Button>
      </div>
    </form>
  );
}
