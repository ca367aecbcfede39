/** Edits a crosswalk: its attributes only while it has no values. */
import type { CrosswalkView, DefineCrosswalk, Unmapped } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate, useParams } from 'react-router-dom';
import { ConflictDialog } from '../../../components/conflict/index.tsx';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { SAVED } from '../../../components/leave-guard/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { ApiError, read } from '../../../lib/api/index.ts';
import { changedFields, type Merge, mergeEdits, type Overlap } from '../../../lib/conflict/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { changeCrosswalk, crosswalkQuery, reloadCrosswalk } from '../api/crosswalks.ts';
import { CrosswalkForm } from '../components/definition/CrosswalkForm.tsx';
import { unmappedText } from '../components/definition/definition-labels.ts';

const LABELS = {
  name: 'Name',
  description: 'Description',
  sourceAttribute: 'Source attribute',
  targetAttribute: 'Target attribute',
  similarityThreshold: 'Similarity threshold',
  cardinality: 'Cardinality',
  unmapped: 'An unmapped value yields',
  sourceLabelField: 'Source label field',
  targetLabelField: 'Target label field',
};
/** The label fields that were chosen for the crosswalk. */
type Editable = Pick<CrosswalkView, keyof typeof LABELS>;
type LabelFields = 'sourceLabelField' | 'targetLabelField';

const known = new Map<string, Unmapped>();
/** Equal values share one object: changes are detected by identity. */
function oneOf(unmapped: Unmapped): Unmapped {
  const text = unmappedText(unmapped);
  const held = known.get(text) ?? unmapped;
  known.set(text, held);
  return held;
}

const editable = ({
  name,
  description,
  sourceAttribute,
  targetAttribute,
  similarityThreshold,
  cardinality,
  unmapped,
  sourceLabelField = null,
  targetLabelField = null,
}: Omit<Editable, LabelFields> & { [Name in LabelFields]?: string | null | undefined }): Editable => ({
  name,
  description,
  sourceAttribute,
  targetAttribute,
  similarityThreshold,
  cardinality,
  unmapped: oneOf(unmapped),
  sourceLabelField,
  targetLabelField,
});

const storedOf = (crosswalk: CrosswalkView): Editable =>
  editable({
    ...crosswalk,
    sourceLabelField: crosswalk.chosenSourceLabelField,
    targetLabelField: crosswalk.chosenTargetLabelField,
  });

const draftOf = (crosswalk: CrosswalkView) => ({
  ...storedOf(crosswalk),
  sourceSystemId: crosswalk.sourceSystemId,
  targetSystemId: crosswalk.targetSystemId,
});

const inWords = (overlap: Overlap<keyof Editable>): Overlap<keyof Editable> => {
  const { field, base, mine, theirs } = overlap;
  if (field !== 'unmapped') return overlap;
  const [was, own, other] = [base, mine, theirs].map((value) => unmappedText(value as Unmapped));
  return { field, base: was, mine: own, theirs: other };
};

const NOT_SAVED = 'The crosswalk was not saved';

function problemOf(error: unknown): { problem: string } {
  notify.error(messageOf(error), { title: NOT_SAVED, shownInPage: true });
  return { problem: messageOf(error) };
}

export default function EditCrosswalk() {
  const id = Number(useParams()['id']);
  const crosswalk = useQuery(crosswalkQuery(id));
  if (crosswalk.error !== null && crosswalk.data === undefined) {
    return (
      <NotLoaded
        what="crosswalk"
        error={crosswalk.error}
        onRetry={() => void crosswalk.refetch()}
        list={{ to: '/crosswalks', label: 'All crosswalks' }}
      />
    );
  }
  if (crosswalk.data === undefined) return <Skeleton className="mt-4 w-1/3" />;
  return <Editing key={id} crosswalk={crosswalk.data} />;
}

function Editing({ crosswalk }: { crosswalk: CrosswalkView }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** The crosswalk as it was when the form opened; the user's changes are relative to it. */
  const [base] = useState(crosswalk);
  const [conflict, setConflict] = useState<{ theirs: CrosswalkView; merge: Merge<Editable>; mine: Editable }>();

  const { draft, pending, approved, rejected, served } = crosswalk.counts;
  const hasValues = draft + pending + approved + rejected + served > 0;
  const locked = hasValues ? 'Attributes are locked since the first value was mapped.' : undefined;
  const refused = crosswalk.level === 'ADMIN' ? undefined : 'Editing a crosswalk needs ADMIN on its source data set.';

  async function store(revision: number, before: Editable, after: Editable): Promise<void> {
    const change = changedFields(before, after);
    if (Object.keys(change).length > 0) await changeCrosswalk(base.id, revision, change);
    notify.success('Crosswalk saved', { description: after.name });
    void reloadCrosswalk(queries, base.id);
    void navigate(`/crosswalks/${base.id}/mappings`, { state: SAVED });
  }

  async function save(typed: DefineCrosswalk): Promise<{ problem?: string } | undefined> {
    const mine = editable(typed);
    try {
      await store(base.revision, storedOf(base), mine);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'STALE') return meet(mine);
      return problemOf(error);
    }
  }

  /** Another user saved first: merges changes to different fields, and asks about the others. */
  async function meet(mine: Editable): Promise<{ problem?: string }> {
    try {
      const theirs = await read<CrosswalkView>(`/api/crosswalks/${base.id}`, { fresh: true });
      const merged = mergeEdits(storedOf(base), mine, storedOf(theirs));
      if (merged.overlaps.length > 0) setConflict({ theirs, merge: merged, mine });
      else await store(theirs.revision, storedOf(theirs), merged.merged);
      return {};
    } catch (error) {
      return problemOf(error);
    }
  }

  return (
    <div>
      <PageHeader title={`Edit ${base.name}`} description={`${base.sourceName} → ${base.targetName}`} />
      {refused !== undefined && (
        <Alert tone="warning" className="mb-4">
          {refused}
        </Alert>
      )}
      <CrosswalkForm
        initial={draftOf(base)}
        save="Save"
        back={`/crosswalks/${base.id}/mappings`}
        existing
        attributesLocked={locked}
        onSave={save}
      />
      {conflict !== undefined && (
        <ConflictDialog
          overlaps={conflict.merge.overlaps.map(inWords)}
          labels={LABELS}
          onCancel={() => setConflict(undefined)}
          onResolve={(own) => {
            const chosen = { ...conflict.merge.merged };
            for (const field of own) Object.assign(chosen, { [field]: conflict.mine[field] });
            setConflict(undefined);
            void store(conflict.theirs.revision, storedOf(conflict.theirs), chosen).catch((error: unknown) =>
              notify.error(messageOf(error), { title: NOT_SAVED }),
            );
          }}
        />
      )}
    </div>
  );
}
