/** Edits a crosswalk. Its attributes can be changed only while it has no values. */
import type { CrosswalkView, Unmapped } from '@rdm/contracts/crosswalks/crosswalks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router-dom';
import { DefinitionLoading } from '../../../components/definitions/loading.tsx';
import { useDefinitionEdit } from '../../../components/definitions/use-edit.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import type { Overlap } from '../../../lib/conflict/index.ts';
import { crosswalkQuery } from '../api/crosswalks.ts';
import { CrosswalkForm } from '../components/definition/CrosswalkForm.tsx';
import { CROSSWALK } from '../components/definition/crosswalk-kind.ts';
import { unmappedText } from '../components/definition/definition-labels.ts';

const LABELS = {
  name: 'Name',
  description: 'Description',
  sourceAttribute: 'Source attribute',
  targetAttribute: 'Target attribute',
  similarityThreshold: 'Similarity threshold',
  cardinality: 'Cardinality',
  unmapped: 'Result for unmapped values',
  sourceLabelField: 'Source label field',
  targetLabelField: 'Target label field',
};
/** The label fields chosen for the crosswalk itself, not those of its data sets. */
type Editable = Pick<CrosswalkView, keyof typeof LABELS>;
type LabelFields = 'sourceLabelField' | 'targetLabelField';

const known = new Map<string, Unmapped>();
/** Returns the same object for equal values, because changes are detected by object identity. */
function sharedUnmapped(unmapped: Unmapped): Unmapped {
  const text = unmappedText(unmapped);
  const cached = known.get(text) ?? unmapped;
  known.set(text, cached);
  return cached;
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
  unmapped: sharedUnmapped(unmapped),
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

export default function EditCrosswalk() {
  const id = Number(useParams()['id']);
  const crosswalk = useQuery(crosswalkQuery(id));
  if (crosswalk.data === undefined) return <DefinitionLoading name="crosswalk" result={crosswalk} />;
  return <Editing key={id} crosswalk={crosswalk.data} />;
}

function Editing({ crosswalk }: { crosswalk: CrosswalkView }) {
  const { base, save, dialog } = useDefinitionEdit({
    kind: CROSSWALK,
    definition: crosswalk,
    editOf: storedOf,
    labels: LABELS,
    displayOverlap: inWords,
  });

  const { draft, pending, approved, rejected, served } = crosswalk.counts;
  const hasValues = draft + pending + approved + rejected + served > 0;
  const locked = hasValues ? 'Attributes are locked since the first value was mapped.' : undefined;
  const editRefusal =
    crosswalk.level === 'ADMIN' ? undefined : 'Editing a crosswalk needs ADMIN on its source data set.';

  return (
    <div>
      <PageHeader title={`Edit ${base.name}`} description={`${base.sourceName} → ${base.targetName}`} />
      {editRefusal !== undefined && (
        <Alert tone="warning" className="mb-4">
          {editRefusal}
        </Alert>
      )}
      <CrosswalkForm
        initial={draftOf(base)}
        save="Save"
        back={`/crosswalks/${base.id}/mappings`}
        existing
        attributesLocked={locked}
        onSave={(typed) => save(editable(typed))}
      />
      {dialog}
    </div>
  );
}
