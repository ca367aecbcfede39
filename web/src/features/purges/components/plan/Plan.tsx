/** One dry run: the items that it found, and the form that requests the purge. */
import type { PurgeDetailsView } from '@rdm/contracts/admin/purge-requests';
import type { PurgePlan } from '@rdm/contracts/admin/purges';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { format } from 'date-fns';
import { type FormEvent, useState } from 'react';
import { ErrorState } from '../../../../components/empty-state/index.tsx';
import { notify } from '../../../../components/toast/index.ts';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Field, Input, Textarea } from '../../../../components/ui/input.tsx';
import { Skeleton } from '../../../../components/ui/skeleton.tsx';
import { bytes } from '../../../../lib/bytes.ts';
import { messageOf } from '../../../../lib/messages/index.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import { purgeQuery, reloadPurges, requestPurge } from '../../api/purges.ts';
import { contentText, countText, itemText, kindLabel } from '../words.ts';

export function Plan({ id, onRequested }: { id: number; onRequested: () => void }) {
  const { data: purge, error, refetch } = useQuery(purgeQuery(id));
  if (purge === undefined) {
    return error === null ? <Skeleton className="h-40" /> : <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  if (purge.problem !== null) return <Alert tone="error">{purge.problem}</Alert>;
  if (purge.plan === null) return <p role="status">Searching for data to purge…</p>;
  return (
    <section aria-label="Dry run" className="flex min-w-0 flex-col gap-4">
      <PlanDetails purge={purge} plan={purge.plan} />
      {purge.status === 'DRY_RUN' && <RequestForm purge={purge} onRequested={onRequested} />}
    </section>
  );
}

/** The items that a purge deletes, and the items under a legal hold. Requester and confirmer see the same list. */
export function PlanDetails({ purge, plan }: { purge: PurgeDetailsView; plan: PurgePlan }) {
  const { items, dependants, held, tables, backups } = plan;
  return (
    <div className="flex flex-col gap-4 text-sm">
      <div>
        <h2 className="font-semibold text-base">{kindLabel(purge.kind)}</h2>
        <p className="text-muted">
          Deleted or ended before {format(purge.before, 'd MMM yyyy, HH:mm')}: {contentText(purge)}, with{' '}
          {bytes(plan.bytes)} of events.
          {purge.expiresAt !== null && ` The dry run is valid until ${format(purge.expiresAt, 'd MMM yyyy, HH:mm')}.`}
        </p>
      </div>
      <ItemList title="Permanently deleted" items={items.map((item) => ({ text: itemText(item), at: item.endedAt }))} />
      <ItemList
        title="Deleted with these items"
        items={dependants.map((item) => ({ text: itemText(item), at: null }))}
      />
      {held.length > 0 && (
        <section>
          <h3 className="font-medium">Kept by a legal hold</h3>
          <ul className="text-muted">
            {held.map((item) => (
              <li key={`${item.kind} ${item.id} ${item.holdId}`}>
                {itemText(item)}: {item.matter}
              </li>
            ))}
          </ul>
        </section>
      )}
      {tables.length > 0 && (
        <details>
          <summary className="cursor-pointer">
            {countText(
              tables.reduce((sum, { rows }) => sum + rows, 0),
              'table row',
              'table rows',
            )}
          </summary>
          <ul className="text-muted">
            {tables.map(({ table, rows }) => (
              <li key={table}>
                {table}: {formatNumber(rows)}
              </li>
            ))}
          </ul>
        </details>
      )}
      {backups.length > 0 && (
        <Alert tone="warning">
          {countText(backups.length, 'backup still contains', 'backups still contain')} this data:{' '}
          {backups.map(({ fileName }) => fileName).join(', ')}. You can delete backups on the page Database Backup.
        </Alert>
      )}
    </div>
  );
}

const ITEMS_SHOWN = 50;

function ItemList({ title, items }: { title: string; items: { text: string; at: string | null }[] }) {
  if (items.length === 0) return null;
  return (
    <section>
      <h3 className="font-medium">
        {title} ({formatNumber(items.length)})
      </h3>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(min(100%,16rem),1fr))] gap-x-6">
        {items.slice(0, ITEMS_SHOWN).map(({ text, at }, index) => (
          <li key={index}>
            {text}{' '}
            {at !== null && <span className="whitespace-nowrap text-muted text-xs">{format(at, 'd MMM yyyy')}</span>}
          </li>
        ))}
      </ul>
      {items.length > ITEMS_SHOWN && <p className="text-muted">and {formatNumber(items.length - ITEMS_SHOWN)} more</p>}
    </section>
  );
}

function RequestForm({ purge, onRequested }: { purge: PurgeDetailsView; onRequested: () => void }) {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const [phrase, setPhrase] = useState('');
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  if ((purge.counts?.['items'] ?? 0) === 0) {
    return <Alert tone="info">There is nothing to purge.</Alert>;
  }

  async function request(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      await requestPurge(purge.id, { phrase, reason: reason.trim() });
      notify.success('Purge requested', { description: 'The purge starts after its confirmation.' });
      await reloadPurges(queries);
      onRequested();
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  }

  return (
    <form
      className="flex max-w-xl flex-col gap-4 border-hairline border-t pt-4"
      onSubmit={(event) => void request(event)}
    >
      {problem !== undefined && <Alert tone="error">{problem}</Alert>}
      <Field label="Reason" required hint="For example a retention rule. The reason is stored in the audit log.">
        {(control) => (
          <Textarea {...control} maxLength={4_000} value={reason} onChange={(event) => setReason(event.target.value)} />
        )}
      </Field>
      <Field label="Confirmation" required hint={`Type “${purge.phrase}”`}>
        {(control) => (
          <Input {...control} autoComplete="off" value={phrase} onChange={(event) => setPhrase(event.target.value)} />
        )}
      </Field>
      <div>
        <Button
          type="submit"
          variant="danger"
          disabled={busy || reason.trim() === '' || phrase !== purge.phrase}
          aria-busy={busy}
        >
          Request this purge
        </Button>
      </div>
    </form>
  );
}
