/** Copies a crosswalk in the same direction or reversed, after showing what is copied and what is omitted. */
import type { CrosswalkCopied, CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { ErrorState } from '../../../../components/empty-state/index.tsx';
import { notify } from '../../../../components/toast/index.ts';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { Dialog } from '../../../../components/ui/dialog.tsx';
import { Field, Input } from '../../../../components/ui/input.tsx';
import { Skeleton } from '../../../../components/ui/skeleton.tsx';
import { Switch } from '../../../../components/ui/switch.tsx';
import { failedTitle, messageOf } from '../../../../lib/messages/index.ts';
import { formatNumber } from '../../../../lib/number-format.ts';
import { type CopyMode, copyCrosswalk, copyPreviewQuery, crosswalksKey } from '../../api/crosswalks.ts';
import { mappingsText } from '../mappings/review-words.ts';

const SHOWN = 20;
interface Words {
  action: string;
  title: (crosswalk: CrosswalkView) => string;
  description: (crosswalk: CrosswalkView) => string;
  name: (crosswalk: CrosswalkView) => string;
  failed: string;
}

export const COPY_WORDS: Record<CopyMode, Words> = {
  duplicate: {
    action: 'Duplicate…',
    title: ({ name }) => `Duplicate ${name}`,
    description: () => 'The copy has the same definition and begins as a draft. This crosswalk stays as it is.',
    name: ({ name }) => `${name} (copy)`,
    failed: 'Duplicate',
  },
  reverse: {
    action: 'Reverse…',
    title: ({ name }) => `Reverse ${name}`,
    description: ({ sourceName, targetName }) =>
      `A crosswalk from ${targetName} to ${sourceName}, with every mapping reversed, starts as a draft. This crosswalk does not change.`,
    name: ({ name }) => `${name} (reversed)`,
    failed: 'Reverse',
  },
};

export interface CopyDialogProps {
  crosswalk: CrosswalkView;
  copying: CopyMode;
  onClose: () => void;
}

export function CopyDialog({ crosswalk, copying, onClose }: CopyDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const words = COPY_WORDS[copying];
  const [name, setName] = useState(words.name(crosswalk).slice(0, 200));
  const [mappings, setMappings] = useState(true);
  const [busy, setBusy] = useState(false);
  const preview = useQuery(copyPreviewQuery(crosswalk.id, copying));

  async function copy() {
    setBusy(true);
    try {
      const made = await copyCrosswalk(crosswalk.id, copying, { name, mappings });
      const behind = made.left === 0 ? {} : { description: `${mappingsText(made.left)} stayed behind.` };
      notify.success(`${mappingsText(made.copied)} copied as drafts`, behind);
      onClose();
      void navigate(`/crosswalks/${made.id}/mappings?tab=${made.copied > 0 ? 'draft' : 'unmapped'}`);
    } catch (error) {
      notify.error(messageOf(error), { title: failedTitle(words.failed, error) });
      setBusy(false);
    }
    await queries.invalidateQueries({ queryKey: crosswalksKey });
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={words.title(crosswalk)}
      description={words.description(crosswalk)}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={busy || name.trim() === '' || (mappings && preview.data === undefined)}
            aria-busy={busy}
            onClick={() => void copy()}
          >
            {words.failed}
            {mappings && preview.data !== undefined && ` with ${mappingsText(preview.data.copied)}`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Name" required error={name.trim() === '' ? 'Mapping name is required' : undefined}>
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
        <Switch label="Take the mappings along, as drafts" checked={mappings} onCheckedChange={setMappings} />
        {mappings &&
          (preview.error !== null ? (
            <ErrorState message={messageOf(preview.error)} onRetry={() => void preview.refetch()} />
          ) : preview.data === undefined ? (
            <Skeleton className="w-1/2" />
          ) : (
            <TakenAlong preview={preview.data} />
          ))}
      </div>
    </Dialog>
  );
}

function TakenAlong({ preview: { copied, ambiguous, left, leftBehind } }: { preview: CrosswalkCopied }) {
  return (
    <div role="status" className="flex flex-col gap-2">
      {left === 0 && (
        <p>{copied === 0 ? 'There are no mappings to take along.' : `All ${mappingsText(copied)} are taken along.`}</p>
      )}
      {ambiguous > 0 && (
        <p className="text-muted text-sm">
          {formatNumber(ambiguous)} source {ambiguous === 1 ? 'value has' : 'values have'} more than one target there.
        </p>
      )}
      {left > 0 && (
        <Alert tone="warning" title={`${mappingsText(left)} ${left === 1 ? 'stays' : 'stay'} behind`}>
          <ul className="flex flex-col gap-1">
            {leftBehind.slice(0, SHOWN).map(({ id, sourceValue, targetValue, message }) => (
              <li key={id}>
                <span className="font-mono">{`${sourceValue} → ${targetValue}`}</span>
                <span className="block text-xs">{message}</span>
              </li>
            ))}
          </ul>
          {left > SHOWN && <p>and {formatNumber(left - SHOWN)} more</p>}
        </Alert>
      )}
    </div>
  );
}
