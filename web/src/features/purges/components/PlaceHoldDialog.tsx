/** Places a legal hold on a data set, a collection, a user or everything. */
import type { HoldScope } from '@rdm/contracts/access/access';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { SubmitDialog } from '../../../components/submit-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Combobox } from '../../../components/ui/combobox.tsx';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { capitalized } from '../../../lib/capitalized.ts';
import { useSearchText } from '../../../lib/debounce/index.ts';
import { type HoldTarget, holdTargetsQuery } from '../api/hold-targets.ts';
import { placeHold, reloadPurges } from '../api/purges.ts';

const SCOPES: readonly { value: HoldScope['kind']; label: string; detail: string }[] = [
  {
    value: 'dataSet',
    label: 'A data set',
    detail: 'With all its data. To hold a deleted data set, hold its collection.',
  },
  { value: 'collection', label: 'A collection', detail: 'All its data sets, including deleted data sets.' },
  { value: 'user', label: 'A user', detail: 'The user is not erased, and their changes are not purged.' },
  { value: 'all', label: 'Everything', detail: 'Nothing is purged and no user is erased.' },
];

export function PlaceHoldDialog({ onClose }: { onClose: () => void }) {
  const queries = useQueryClient();
  const [kind, setKind] = useState<HoldScope['kind']>('dataSet');
  const [target, setTarget] = useState<HoldTarget>();
  const [matter, setMatter] = useState('');
  const [reason, setReason] = useState('');
  const scope: HoldScope | undefined = kind === 'all' ? { kind } : target && { kind, id: target.id };

  return (
    <SubmitDialog
      title="Place a legal hold"
      description="Protects data from purges and users from erasure until the hold is released."
      submit="Place"
      disabled={scope === undefined || matter.trim() === '' || reason.trim() === ''}
      onClose={onClose}
      onSubmit={async () => {
        if (scope === undefined) return;
        await placeHold({ scope, matter: matter.trim(), reason: reason.trim() });
        notify.success('Legal hold placed');
        await reloadPurges(queries);
      }}
    >
      <Field label="Covers">
        {(control) => (
          <Select
            {...control}
            value={kind}
            onValueChange={(chosen) => {
              setKind(chosen);
              setTarget(undefined);
            }}
            options={SCOPES}
          />
        )}
      </Field>
      {kind !== 'all' && <TargetField key={kind} kind={kind} target={target} onChoose={setTarget} />}
      <Field label="Matter" required hint="The case that requires the hold.">
        {(control) => (
          <Input {...control} maxLength={200} value={matter} onChange={(event) => setMatter(event.target.value)} />
        )}
      </Field>
      <Field label="Reason" required>
        {(control) => (
          <Textarea {...control} maxLength={4_000} value={reason} onChange={(event) => setReason(event.target.value)} />
        )}
      </Field>
    </SubmitDialog>
  );
}

interface TargetFieldProps {
  kind: Exclude<HoldScope['kind'], 'all'>;
  target: HoldTarget | undefined;
  onChoose: (target: HoldTarget) => void;
}

function TargetField({ kind, target, onChoose }: TargetFieldProps) {
  const { search, setSearch, debounced, isAnswered } = useSearchText();
  const targets = useQuery(holdTargetsQuery(kind, debounced));
  const label = SCOPES.find(({ value }) => value === kind)?.label.replace(/^A /, '') ?? '';
  return (
    <Field label={capitalized(label)} required>
      {(control) => (
        <Combobox
          {...control}
          label={label}
          value={target === undefined ? undefined : String(target.id)}
          shown={target?.name}
          search={search}
          onSearchChange={setSearch}
          loading={!isAnswered(targets)}
          empty="Nothing matches."
          options={(targets.data ?? []).map(({ id, name, detail }) => ({ value: String(id), label: name, detail }))}
          onValueChange={(value) => {
            const chosen = targets.data?.find(({ id }) => id === Number(value));
            if (chosen !== undefined) onChoose(chosen);
          }}
        />
      )}
    </Field>
  );
}
