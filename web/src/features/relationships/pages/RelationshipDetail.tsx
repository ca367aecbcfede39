/** One relationship: its definition, editable by its administrators, and its attributes. */

import type { AttributeView, DefineRelationship, RelationshipView } from '@rdm/contracts/relationships/relationships';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { ConflictDialog } from '../../../components/conflict/index.tsx';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { SAVED } from '../../../components/leave-guard/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { ApiError, PAST_IS_READ_ONLY } from '../../../lib/api/index.ts';
import { changedFields, type Merge, mergeEdits } from '../../../lib/conflict/index.ts';
import { useLive } from '../../../lib/live/index.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { useIsPast } from '../../../lib/past/index.ts';
import {
  type AttributeEdit,
  changeAttribute,
  changeRelationship,
  currentRelationship,
  defineAttribute,
  relationshipKey,
  relationshipQuery,
  reloadRelationship,
  removeAttribute,
} from '../api/relationships.ts';
import { AttributeTable } from '../components/AttributeTable.tsx';
import { RelationshipEnds } from '../components/columns.tsx';
import { RelationshipForm } from '../components/RelationshipForm.tsx';

const LABELS = {
  name: 'Name',
  relationshipType: 'Type',
  cardinality: 'Cardinality',
  allowSelfRelationship: 'Self-relations allowed',
};
type Editable = Pick<RelationshipView, keyof typeof LABELS>;

const editable = ({ name, relationshipType, cardinality, allowSelfRelationship }: Editable): Editable => ({
  name,
  relationshipType,
  cardinality,
  allowSelfRelationship,
});

const NOT_SAVED = 'The relationship was not saved';

function problemOf(error: unknown): { problem: string } {
  notify.error(messageOf(error), { title: NOT_SAVED, shownInPage: true });
  return { problem: messageOf(error) };
}

export default function RelationshipDetail() {
  const id = Number(useParams()['id']);
  const relationship = useQuery(relationshipQuery(id));
  useLive({ rooms: [`relationship:${id}`], keys: [relationshipKey(id)] });
  if (relationship.error !== null && relationship.data === undefined) {
    return (
      <NotLoaded
        what="relationship"
        error={relationship.error}
        onRetry={() => void relationship.refetch()}
        list={{ to: '/relationships', label: 'All relationships' }}
      />
    );
  }
  if (relationship.data === undefined) return <Skeleton className="mt-4 w-1/3" />;
  return <Definition key={id} relationship={relationship.data} />;
}

function Definition({ relationship }: { relationship: RelationshipView }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** The relationship as it was when the form opened; the user's changes are relative to it. */
  const [base] = useState(relationship);
  const [conflict, setConflict] = useState<{ theirs: RelationshipView; merge: Merge<Editable>; mine: Editable }>();
  const { id } = relationship;
  const isPast = useIsPast();
  const mayEdit = relationship.level === 'ADMIN' && !relationship.deletionRequested;
  const values = `/relationships/${id}/values`;

  async function store(revision: number, before: Editable, after: Editable): Promise<void> {
    const change = changedFields(before, after);
    if (Object.keys(change).length > 0) await changeRelationship(id, revision, change);
    notify.success('Relationship saved', { description: after.name });
    void reloadRelationship(queries, id);
    void navigate(values, { state: SAVED });
  }

  async function save(typed: DefineRelationship): Promise<{ problem?: string } | undefined> {
    const mine = editable(typed);
    try {
      await store(base.revision, editable(base), mine);
      return undefined;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'STALE') return meet(mine);
      return problemOf(error);
    }
  }

  /** Another user saved first: merges changes to different fields, and asks about the others. */
  async function meet(mine: Editable): Promise<{ problem?: string }> {
    try {
      const theirs = await currentRelationship(id);
      const merged = mergeEdits(editable(base), mine, editable(theirs));
      if (merged.overlaps.length > 0) setConflict({ theirs, merge: merged, mine });
      else await store(theirs.revision, editable(theirs), merged.merged);
      return {};
    } catch (error) {
      return problemOf(error);
    }
  }

  async function changed(title: string, name: string): Promise<void> {
    notify.success(title, { description: name });
    await reloadRelationship(queries, id);
  }

  async function remove(attribute: AttributeView): Promise<void> {
    try {
      await removeAttribute(id, relationship.revision, attribute);
      await changed('Attribute removed', attribute.name);
    } catch (error) {
      notify.error(messageOf(error), { title: 'The attribute was not removed' });
    }
  }

  const attributes = (
    <AttributeTable
      attributes={relationship.attributes}
      mayEdit={mayEdit}
      dataTypesLocked={relationship.hasValues ? 'Data types are locked since the first value was added.' : undefined}
      removing="Existing values keep this attribute, but it is no longer displayed."
      onAdd={async (attribute) => {
        await defineAttribute(id, relationship.revision, attribute);
        await changed('Attribute added', attribute.name);
      }}
      onChange={async (before, edit) => {
        const { id: attributeId, ...seen } = before;
        const change = changedFields<AttributeEdit>(seen, edit);
        if (Object.keys(change).length > 0) await changeAttribute(id, relationship.revision, attributeId, change);
        await changed('Attribute saved', edit.name);
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
              <Link to={values}>
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
                ? 'Its deletion waits for a review: until that is decided it cannot be changed.'
                : 'Changing a relationship needs ADMIN on its source data set.'}
          </Alert>
        )}
        <RelationshipForm
          readOnly={!mayEdit}
          initial={base}
          save="Save"
          back={values}
          existing
          rulesLocked={
            mayEdit && relationship.hasValues
              ? 'Cardinality and the self rule are locked since the first value was added. Copy the relationship to change them.'
              : undefined
          }
          onSave={save}
        />
      </div>
      <div className="max-w-4xl">{attributes}</div>
      {conflict !== undefined && (
        <ConflictDialog
          overlaps={conflict.merge.overlaps}
          labels={LABELS}
          onCancel={() => setConflict(undefined)}
          onResolve={(own) => {
            const chosen = { ...conflict.merge.merged };
            for (const field of own) Object.assign(chosen, { [field]: conflict.mine[field] });
            setConflict(undefined);
            void store(conflict.theirs.revision, editable(conflict.theirs), chosen).catch((error: unknown) =>
              notify.error(messageOf(error), { title: NOT_SAVED }),
            );
          }}
        />
      )}
    </div>
  );
}
