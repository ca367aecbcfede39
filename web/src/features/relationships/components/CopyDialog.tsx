/** Copies a relationship with other rules: what would break them is listed first, the rest becomes drafts of the copy. */
import { CARDINALITIES, type Cardinality, type RelationshipView } from '@rdm/contracts/relationships';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { type Outcome, OutcomesDialog, type Running } from '../../../components/outcomes/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field, Input } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { failedTitle, messageOf } from '../../../lib/messages/index.ts';
import { defineAttribute, defineRelationship, relationshipsKey } from '../api/relationships.ts';
import { everyValueQuery } from '../api/values.ts';
import { sortedByRules } from './copying.ts';
import { draftInPieces } from './draft-in-pieces.tsx';
import { pairText } from './verbs.ts';
import { CARDINALITY_RULES, CARDINALITY_WORDS, valuesText } from './words.ts';

const SHOWN = 20;

export function CopyDialog({ relationship, onClose }: { relationship: RelationshipView; onClose: () => void }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const every = useQuery(everyValueQuery(relationship.id));
  const [name, setName] = useState(`${relationship.name} (copy)`.slice(0, 200));
  const [cardinality, setCardinality] = useState<Cardinality>(relationship.cardinality);
  const [allowSelf, setAllowSelf] = useState(relationship.allowSelfRelationship);
  const [busy, setBusy] = useState(false);
  const [run, setRun] = useState<{ id: number; running: Running | undefined; outcomes: readonly Outcome[] }>();
  const isWithinOne = relationship.sourceDataSetId === relationship.targetDataSetId;
  const { kept, violations } = sortedByRules(every.data ?? [], {
    cardinality,
    refusesSelf: isWithinOne && !allowSelf,
  });

  async function copy() {
    setBusy(true);
    const { relationshipType, sourceDataSetId, targetDataSetId, sourceField, targetField, attributes } = relationship;
    const ends = { sourceDataSetId, targetDataSetId, sourceField, targetField };
    let made: number | undefined;
    try {
      const defined = await defineRelationship({
        ...ends,
        name,
        relationshipType,
        cardinality,
        allowSelfRelationship: allowSelf,
      });
      made = defined.id;
      let { revision } = defined;
      for (const { id: _, ...attribute } of attributes) {
        ({ revision } = await defineAttribute(defined.id, revision, attribute));
      }
      const rows = kept.map((value) => ({
        id: value.id,
        label: pairText(value),
        value: {
          sourceInstanceId: value.sourceInstanceId,
          targetInstanceId: value.targetInstanceId,
          attributes: value.attributes,
        },
      }));
      const { outcomes, stopped } = await draftInPieces(defined.id, rows, (running, sofar) =>
        setRun({ id: defined.id, running, outcomes: [...sofar] }),
      );
      if (stopped !== undefined) notify.error(stopped, { title: `Stopped after ${valuesText(outcomes.length)}` });
      setRun({ id: defined.id, running: undefined, outcomes });
    } catch (error) {
      notify.error(messageOf(error), { title: failedTitle('Copy', error) });
      setBusy(false);
      // A copy that was begun is mended where it is edited; copying once more would make another.
      if (made !== undefined) void navigate(`/relationships/${made}`);
    }
    await queries.invalidateQueries({ queryKey: relationshipsKey });
  }

  if (run !== undefined) {
    return (
      <OutcomesDialog
        title="Copied as drafts"
        running={run.running}
        outcomes={run.outcomes}
        note={
          violations.length > 0 && `${valuesText(violations.length)} would have broken the rules and stayed behind.`
        }
        onClose={() => {
          onClose();
          void navigate(`/relationships/${run.id}/values`);
        }}
      />
    );
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
            disabled={busy || every.data === undefined || name.trim() === ''}
            aria-busy={busy}
            onClick={() => void copy()}
          >
            Copy {valuesText(kept.length)}
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
        {isWithinOne && <Switch label="Allow self-relations" checked={allowSelf} onCheckedChange={setAllowSelf} />}
        {every.error !== null && every.data === undefined ? (
          <ErrorState message={messageOf(every.error)} onRetry={() => void every.refetch()} />
        ) : every.data === undefined ? (
          <Skeleton className="w-1/2" />
        ) : violations.length === 0 ? (
          <p role="status">All {valuesText(kept.length)} can be copied.</p>
        ) : (
          <Alert tone="warning" title={`${valuesText(violations.length)} would break these rules and stay behind`}>
            <ul>
              {violations.slice(0, SHOWN).map(({ value, beside }) => (
                <li key={value.id}>
                  <span className="font-mono">{pairText(value)}</span>
                  {beside === undefined ? ' relates a row to itself' : ' cannot stand beside '}
                  {beside !== undefined && <span className="font-mono">{pairText(beside)}</span>}
                </li>
              ))}
            </ul>
            {violations.length > SHOWN && <p>and {violations.length - SHOWN} more</p>}
          </Alert>
        )}
      </div>
    </Dialog>
  );
}
