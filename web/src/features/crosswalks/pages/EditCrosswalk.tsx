/** The page that edits a crosswalk. The attributes can be changed only while no value is mapped. */
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
/** The editable fields. The label fields are those of the crosswalk itself, not the label fields of its data sets. */
type EditableFields = Pick<CrosswalkView, keyof typeof LABELS>;
type LabelFields = 'sourceLabelField' | 'targetLabelField';

const sharedValues = new Map<string, Unmapped>();
/** Returns the same object for equal values, because changes are detected by object identity. */
function sharedUnmapped(unmapped: Unmapped): Unmapped {
  const text = unmappedText(unmapped);
  const cached = sharedValues.get(text) ?? unmapped;
  sharedValues.set(text, cached);
  return cached;
}

const editableFields = ({
  name,
  description,
  sourceAttribute,
  targetAttribute,
  similarityThreshold,
  cardinality,
  unmapped,
  sourceLabelField = null,
  targetLabelField = null,
}: Omit<EditableFields, LabelFields> & { [Name in LabelFields]?: string | null | undefined }): EditableFields => ({
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

const storedOf = (crosswalk: CrosswalkView): EditableFields =>
  editableFields({
    ...crosswalk,
    sourceLabelField: crosswalk.chosenSourceLabelField,
    targetLabelField: crosswalk.chosenTargetLabelField,
  });

const draftOf = (crosswalk: CrosswalkView) => ({
  ...storedOf(crosswalk),
  sourceSystemId: crosswalk.sourceSystemId,
  targetSystemId: crosswalk.targetSystemId,
});

const displayOverlap = (overlap: Overlap<keyof EditableFields>): Overlap<keyof EditableFields> => {
  const { field, base, mine, theirs } = overlap;
  if (field !== 'unmapped') return overlap;
  const [baseText, mineText, theirsText] = [base, mine, theirs].map((value) => unmappedText(value as Unmapped));
  return { field, base: baseText, mine: mineText, theirs: theirsText };
};

export default function EditCrosswalk() {
  const id = Number(useParams()['id']);
  const crosswalk = useQuery(crosswalkQuery(id));
  if (crosswalk.data === undefined) return <DefinitionLoading name="crosswalk" result={crosswalk} />;
  return <EditForm key={id} crosswalk={crosswalk.data} />;
}

function EditForm({ crosswalk }: { crosswalk: CrosswalkView }) {
  const { base, save, dialog } = useDefinitionEdit({
    kind: CROSSWALK,
    definition: crosswalk,
    editOf: storedOf,
    labels: LABELS,
    displayOverlap,
  });

  const { draft, pending, approved, rejected, served } = crosswalk.counts;
  const hasValues = draft + pending + approved + rejected + served > 0;
  const attributesLockReason = hasValues
    ? 'The attributes cannot be changed, because values are mapped already.'
    : undefined;
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
        isExisting
        attributesLockReason={attributesLockReason}
        onSave={(values) => save(editableFields(values))}
      />
      {dialog}
    </div>
  );
}
