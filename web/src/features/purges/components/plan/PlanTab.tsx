/** The tab for a new purge: the user starts a dry run for a kind and an age of data, and then requests the purge. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { format } from 'date-fns';
import { parseAsInteger, useQueryState } from 'nuqs';
import { type FormEvent, useState } from 'react';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Field, Input } from '../../../../components/ui/input.tsx';
import { Select } from '../../../../components/ui/select.tsx';
import { collectionChoicesQuery } from '../../../../lib/data-sets/index.ts';
import { messageOf } from '../../../../lib/messages/index.ts';
import { planPurge, purgesQuery, reloadPurges } from '../../api/purges.ts';
import { contentText, KINDS, kindLabel } from '../words.ts';
import { Plan } from './Plan.tsx';

const EVERYTHING = 'all';
const DEFAULT_DAYS = 90;
const DAY_MS = 24 * 3_600_000;

export function PlanTab({ onRequested }: { onRequested: () => void }) {
  const [planId, setPlanId] = useQueryState('plan', parseAsInteger);
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 content-start gap-6 overflow-y-auto py-4 lg:grid-cols-[minmax(280px,360px)_1fr]">
      <div className="flex flex-col gap-6">
        <PlanForm onPlanned={(id) => void setPlanId(id)} />
        <OpenPlans chosen={planId} onChoose={(id) => void setPlanId(id)} />
      </div>
      {planId === null ? (
        <p className="text-muted text-sm">
          A dry run lists the data that would be permanently deleted, the data that a legal hold keeps, and the backups
          that still contain the data. It changes nothing.
        </p>
      ) : (
        <Plan key={planId} id={planId} onRequested={onRequested} />
      )}
    </div>
  );
}

function PlanForm({ onPlanned }: { onPlanned: (id: number) => void }) {
  const queries = useQueryClient();
  const collections = useQuery(collectionChoicesQuery);
  const [kind, setKind] = useState(KINDS[0]?.value ?? 'dataSets');
  const [collection, setCollection] = useState(EVERYTHING);
  const [days, setDays] = useState(String(DEFAULT_DAYS));
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const isValid = /^\d{1,5}$/.test(days);

  async function plan(event: FormEvent) {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const collectionId = kind === 'telemetry' || collection === EVERYTHING ? null : Number(collection);
      const before = new Date(Date.now() - Number(days) * DAY_MS).toISOString();
      const { id } = await planPurge({ kind, scope: { collectionId }, before });
      await reloadPurges(queries);
      onPlanned(id);
    } catch (error) {
      setProblem(messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form className="flex flex-col gap-4" onSubmit={(event) => void plan(event)}>
      {problem !== undefined && <Alert tone="error">{problem}</Alert>}
      <Field label="Data to purge">
        {(control) => (
          <Select
            {...control}
            value={kind}
            onValueChange={setKind}
            options={KINDS.map(({ value, label, detail }) => ({ value, label, detail }))}
          />
        )}
      </Field>
      {kind !== 'telemetry' && (
        <Field label="Collection">
          {(control) => (
            <Select
              {...control}
              value={collection}
              onValueChange={setCollection}
              options={[
                { value: EVERYTHING, label: 'All data' },
                ...(collections.data ?? []).map(({ id, name }) => ({ value: String(id), label: name })),
              ]}
            />
          )}
        </Field>
      )}
      <Field
        label={KINDS.find(({ value }) => value === kind)?.age ?? 'Days'}
        error={isValid ? undefined : 'Enter a whole number of days below 100,000'}
      >
        {(control) => (
          <Input
            {...control}
            inputMode="numeric"
            value={days}
            onChange={(event) => setDays(event.target.value.trim())}
          />
        )}
      </Field>
      <div>
        <Button type="submit" variant="primary" disabled={!isValid || busy} aria-busy={busy}>
          Plan a purge
        </Button>
      </div>
    </form>
  );
}

/** Lists the dry runs whose purge has not been requested yet. */
function OpenPlans({ chosen, onChoose }: { chosen: number | null; onChoose: (id: number) => void }) {
  const { data = [] } = useQuery(purgesQuery);
  const plans = data.filter(({ status }) => status === 'DRY_RUN');
  if (plans.length === 0) return null;
  return (
    <section aria-label="Dry runs" className="flex flex-col gap-1">
      <h2 className="font-medium text-sm">Dry runs</h2>
      {plans.map((plan) => (
        <Button
          key={plan.id}
          variant="ghost"
          className="h-auto justify-start whitespace-normal py-1.5 text-left"
          aria-pressed={plan.id === chosen}
          onClick={() => onChoose(plan.id)}
        >
          <span>
            {kindLabel(plan.kind)}, {format(plan.createdAt, 'd MMM yyyy, HH:mm')}
            <span className="block text-muted text-xs">{plan.problem ?? (contentText(plan) || 'Searching…')}</span>
          </span>
        </Button>
      ))}
    </section>
  );
}
