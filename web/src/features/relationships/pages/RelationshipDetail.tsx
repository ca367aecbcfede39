/**
 * The page of a relationship: its definition and its attributes. Users with ADMIN on the source data set can edit both.
 */

import type { AttributeView, RelationshipView } from '@rdm/contracts/relationships/relationships';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { Link, useParams } from 'react-router-dom';
import { DefinitionLoading } from '../../../components/definitions/loading.tsx';
import { useDefinitionEdit } from '../../../components/definitions/use-edit.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { PAST_IS_READ_ONLY } from '../../../lib/api/index.ts';
import { changedFields } from '../../../lib/conflict/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useIsPast } from '../../../lib/past/index.ts';
import {
  type AttributeEdit,
  changeAttribute,
  defineAttribute,
  relationshipKey,
  relationshipQuery,
  reloadRelationship,
  removeAttribute,
} from '../api/relationships.ts';
import { AttributeTable } from '../components/AttributeTable.tsx';
import { RelationshipEnds } from '../components/columns.tsx';
import { RelationshipForm } from '../components/RelationshipForm.tsx';
import { RELATIONSHIP } from '../components/relationship-kind.ts';

const LABELS = {
  name: 'Name',
  relationshipType: 'Type',
  cardinality: 'Cardinality',
  allowSelfRelationship: 'Self-relations allowed',
};
type EditableFields = Pick<RelationshipView, keyof typeof LABELS>;

const editableFields = ({
  name,
  relationshipType,
  cardinality,
  allowSelfRelationship,
}: EditableFields): EditableFields => ({
  name,
  relationshipType,
  cardinality,
  allowSelfRelationship,
});

export default function RelationshipDetail() {
  const id = Number(useParams()['id']);
  const relationship = useQuery(relationshipQuery(id));
  useLive({ rooms: [`relationship:${id}`], keys: [relationshipKey(id)] });
  if (relationship.data === undefined) return <DefinitionLoading name="relationship" result={relationship} />;
  return <Definition key={id} relationship={relationship.data} />;
}

function Definition({ relationship }: { relationship: RelationshipView }) {
  const queries = useQueryClient();
  const { base, save, dialog } = useDefinitionEdit({
    kind: RELATIONSHIP,
    definition: relationship,
    editOf: editableFields,
    labels: LABELS,
  });
  const { id } = relationship;
  const isPast = useIsPast();
  const mayEdit = relationship.level === 'ADMIN' && !relationship.deletionRequested;
  const valuesPath = `/relationships/${id}/values`;

  async function reportAndReload(title: string, name: string): Promise<void> {
    notify.success(title, { description: name });
    await reloadRelationship(queries, id);
  }

  async function remove(attribute: AttributeView): Promise<void> {
    try {
      await removeAttribute(id, relationship.revision, attribute);
      await reportAndReload('Attribute removed', attribute.name);
    } catch (error) {
      notify.error(messageOf(error), { title: 'The attribute was not removed' });
    }
  }

  const attributes = (
    <AttributeTable
      attributes={relationship.attributes}
      mayEdit={mayEdit}
      dataTypesLockReason={
        relationship.hasValues ? 'The data type cannot be changed, because the relationship has values.' : undefined
      }
      removalWarning="Existing values keep this attribute, but it is no longer displayed."
      onAdd={async (attribute) => {
        await defineAttribute(id, relationship.revision, attribute);
        await reportAndReload('Attribute added', attribute.name);
      }}
      onChange={async (before, edit) => {
        const { id: attributeId, ...previousFields } = before;
        const change = changedFields<AttributeEdit>(previousFields, edit);
        if (Object.keys(change).length > 0) await changeAttribute(id, relationship.revision, attributeId, change);
        await reportAndReload('Attribute saved', edit.name);
      }}
      onRemove={remove}
    />
  );

  return (
    <div className="flex flex-col gap-6">
      <div>
        <PageHeader
          title={relationship.name}
          description={<RelationshipEnds relationship={relationship} />}
          actions={
            <Button asChild>
              <Link to={valuesPath}>
                <Link2 />
                Values
              </Link>
            </Button>
          }
        />
        {!mayEdit && (
          <Alert tone="info" className="mb-4">
            {isPast
              ? PAST_IS_READ_ONLY
              : relationship.deletionRequested
                ? 'The deletion of this relationship waits for a review. Until the decision, the relationship cannot be changed.'
                : 'Changing a relationship needs ADMIN on its source data set.'}
          </Alert>
        )}
        <RelationshipForm
          readOnly={!mayEdit}
          initial={base}
          save="Save"
          back={valuesPath}
          isExisting
          rulesLockReason={
            mayEdit && relationship.hasValues
              ? 'Cardinality and self-relations can no longer be changed, because the relationship has values. A copy can have other rules.'
              : undefined
          }
          onSave={(values) => save(editableFields(values))}
        />
      </div>
      <div className="max-w-4xl">{attributes}</div>
      {dialog}
    </div>
  );
}
