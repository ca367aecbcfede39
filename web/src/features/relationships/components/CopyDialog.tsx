/** Copies a relationship with other rules: lists the values that would break them, and copies the others as drafts. */
import {
  CARDINALITIES,
  type Cardinality,
  type RelationshipCopied,
  type RelationshipView,
} from '@rdm/contracts/relationships/relationships';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { failedTitle, messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { copyPreviewQuery, copyRelationship, relationshipsKey } from '../api/relationships.ts';
import { CARDINALITY_RULES, CARDINALITY_WORDS, valuesText } from './cardinality-labels.ts';

const SHOWN = 20;
export function CopyDialog({ relationship, onClose }: { relationship: RelationshipView; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(`${relationship.name} (copy)`.slice(0, 200));
  const [cardinality, setCardinality] = useState<Cardinality>(relationship.cardinality);
  const [allowSelfRelationship, setAllowSelf] = useState(relationship.allowSelfRelationship);
  const [busy, setBusy] = useState(false);
  const rules = { cardinality, allowSelfRelationship };
  const preview = useQuery({ ...copyPreviewQuery(relationship, rules), placeholderData: keepPreviousData });
  const isWithinOne = relationship.sourceDataSetId === relationship.targetDataSetId;
  const known = preview.error === null && !preview.isPlaceholderData ? preview.data : undefined;

  async function copy() {
    setBusy(true);
    try {
      const made = await copyRelationship(relationship.id, { name, ...rules });
      const behind = made.refused === 0 ? {} : { description: `${valuesText(made.refused)} stayed behind.` };
      notify.success(`${valuesText(made.copied)} copied as drafts`, behind);
      onClose();
      void navigate(`/relationships/${made.id}/values`);
    } catch (error) {
      notify.error(messageOf(error), { title: failedTitle('Copy', error) });
      setBusy(false);
    }
    await queries.invalidateQueries({ queryKey: relationshipsKey });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Copy ${relationship.name} as…`}
      description="The copy has the same ends and attributes, and its values begin as drafts. This relationship stays as it is."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={busy || known === undefined || name.trim() === ''}
            aria-busy={busy}
            onClick={() => void copy()}
          >
            {known === undefined ? 'Copy' : `Copy ${valuesText(known.copied)}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Name" required error={name.trim() === '' ? 'Relationship name is required' : undefined}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={200}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field label="Cardinality" required hint={CARDINALITY_RULES[cardinality]}>
          {(control) => (
            <Select
              {...control}
              className="w-48"
              value={cardinality}
              onValueChange={setCardinality}
              options={CARDINALITIES.map((value) => ({ value, label: CARDINALITY_WORDS[value] }))}
            />
          )}
        </Field>
        {isWithinOne && (
          <Switch label="Allow self-relations" checked={allowSelfRelationship} onCheckedChange={setAllowSelf} />
        )}
        {preview.error !== null ? (
          <ErrorState message={messageOf(preview.error)} onRetry={() => void preview.refetch()} />
        ) : preview.data === undefined ? (
          <Skeleton className="w-1/2" />
        ) : (
          <Copied preview={preview.data} stale={preview.isPlaceholderData} />
        )}
      </div>
    </Dialog>
  );
}

/** What the copy contains, and what is omitted and why; dimmed while the preview for other rules is loading. */
function Copied({ preview, stale }: { preview: RelationshipCopied; stale: boolean }) {
  const { copied, refused, violations } = preview;
  return (
    <div role="status" aria-busy={stale} className={stale ? 'opacity-60' : undefined}>
      {refused === 0 ? (
        <p>{copied === 0 ? 'There are no values to copy.' : `All ${valuesText(copied)} can be copied.`}</p>
      ) : (
        <Alert
          tone="warning"
          title={`${valuesText(refused)} cannot be copied and ${refused === 1 ? 'stays' : 'stay'} behind`}
        >
          <ul className="flex flex-col gap-1">
            {violations.slice(0, SHOWN).map(({ id, source, target, message }) => (
              <li key={id}>
                <span className="font-mono">{`${source} → ${target}`}</span>
                <span className="block text-xs">{message}</span>
              </li>
            ))}
          </ul>
          {refused > SHOWN && <p>and {formatNumber(refused - Math.min(SHOWN, violations.length))} more</p>}
        </Alert>
      )}
    </div>
  );
}
