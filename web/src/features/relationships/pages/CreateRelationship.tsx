/** The page that creates a relationship with its attributes. */
import type { DefineRelationship } from '@rdm/contracts/relationships/relationships';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { showProblem } from '../../../components/definitions/form.tsx';
import { DefinitionFormGuard } from '../../../components/end-picker/join-permission.tsx';
import { SAVED } from '../../../components/leave-guard/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { dataSetQuery } from '../../../lib/data-sets/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { type AttributeEdit, defineAttribute, defineRelationship, relationshipsKey } from '../api/relationships.ts';
import { AttributeTable } from '../components/AttributeTable.tsx';
import { NEW_RELATIONSHIP, RelationshipForm } from '../components/RelationshipForm.tsx';

export default function CreateRelationship() {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [attributes, setAttributes] = useState<readonly AttributeEdit[]>([]);

  /** Adds the attributes to the new relationship, which is saved already. Returns whether all attributes were saved. */
  async function addAttributes(id: number, revision: number | undefined): Promise<boolean> {
    let expectedRevision = revision;
    for (const attribute of attributes) {
      try {
        expectedRevision = (await defineAttribute(id, expectedRevision, attribute)).revision;
      } catch (error) {
        notify.error(messageOf(error), { title: `The attribute ${attribute.name} was not saved` });
        return false;
      }
    }
    return true;
  }

  async function save(relationship: DefineRelationship) {
    try {
      const { id, revision } = await defineRelationship(relationship);
      const areAllSaved = await addAttributes(id, revision);
      // The user corrects a refused attribute on the page of the relationship.
      const path = areAllSaved ? `/relationships/${id}/values` : `/relationships/${id}`;
      notify.success('Relationship created', { description: relationship.name, href: path });
      void queries.invalidateQueries({ queryKey: relationshipsKey });
      void navigate(path, { replace: true, state: SAVED });
      return undefined;
    } catch (error) {
      return showProblem('relationship', error);
    }
  }

  return (
    <div>
      <PageHeader
        title="Create a relationship"
        description="Connects rows of one data set to rows of another. Each value is approved separately."
      />
      <DefinitionFormGuard plural="relationships" list="/relationships">
        <RelationshipForm
          initial={NEW_RELATIONSHIP}
          save="Create relationship"
          back="/relationships"
          onSave={save}
          hasOtherChanges={attributes.length > 0}
        >
          {(sourceDataSetId) => (
            <NewAttributes sourceDataSetId={sourceDataSetId} attributes={attributes} onChange={setAttributes} />
          )}
        </RelationshipForm>
      </DefinitionFormGuard>
    </div>
  );
}

interface NewAttributesProps {
  sourceDataSetId: number | undefined;
  attributes: readonly AttributeEdit[];
  onChange: (attributes: readonly AttributeEdit[]) => void;
}

/**
 * The attributes of a new relationship. Creating a relationship requires WRITE on the source data set; adding
 * attributes requires ADMIN on it.
 */
function NewAttributes({ sourceDataSetId, attributes, onChange }: NewAttributesProps) {
  const { data: source } = useQuery(dataSetQuery(sourceDataSetId));
  if (source !== undefined && source.level !== 'ADMIN') {
    return (
      <Alert tone="info">{`Users with ADMIN on ${source.name} can add attributes once the relationship exists.`}</Alert>
    );
  }
  return (
    <AttributeTable
      attributes={attributes}
      mayEdit
      dataTypesLockReason={undefined}
      onAdd={(attribute) => onChange([...attributes, attribute])}
      onChange={(before, edit) => onChange(attributes.map((attribute) => (attribute === before ? edit : attribute)))}
      onRemove={(removed) => onChange(attributes.filter((attribute) => attribute !== removed))}
    />
  );
}
