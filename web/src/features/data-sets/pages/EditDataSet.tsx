/** The page that edits the details and the collections of a data set. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router-dom';
import { ConflictDialog } from '../../../components/conflict/index.tsx';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { NotLoaded } from '../../../components/empty-state/not-loaded.tsx';
import { SAVED } from '../../../components/leave-guard/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Button } from '../../../components/ui/button.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { ApiError, read } from '../../../lib/api/index.ts';
import { type Merge, mergeEdits } from '../../../lib/conflict/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import {
  addToCollection,
  changeDataSet,
  dataSetQuery,
  reloadDataSets,
  removeFromCollection,
} from '../api/data-sets.ts';
import { type DataSetEdit, DataSetForm } from '../components/DataSetForm.tsx';

const LABELS = {
  name: 'Name',
  description: 'Description',
  isPublic: 'Public in the graph',
  chosenLabelField: 'Label field',
};
type Details = Pick<DataSetView, keyof typeof LABELS>;

const detailsOf = (dataSet: Details): Details =>
  Object.fromEntries(Object.entries(dataSet).filter(([field]) => field in LABELS)) as unknown as Details;

const SAVE_BUTTONS = [{ next: 'open', label: 'Save' }];

export default function EditDataSet() {
  const id = Number(useParams()['id']);
  const dataSet = useQuery(dataSetQuery(id));
  if (dataSet.error !== null && dataSet.data === undefined) {
    return (
      <NotLoaded
        noun="data set"
        error={dataSet.error}
        onRetry={() => void dataSet.refetch()}
        list={{ to: '/reference-data', label: 'All data sets' }}
      />
    );
  }
  if (dataSet.data === undefined) return <Skeleton className="mt-4 w-1/3" />;
  if (dataSet.data.level !== 'ADMIN') {
    return (
      <>
        <PageHeader title={`Edit ${dataSet.data.name}`} />
        <EmptyState
          title="You cannot edit this data set"
          description="Editing needs ADMIN on the data set."
          action={
            <Button asChild>
              <Link to={`/reference-data/${id}`}>Back to the rows of the data set</Link>
            </Button>
          }
        />
      </>
    );
  }
  return <EditForm key={id} dataSet={dataSet.data} />;
}

function EditForm({ dataSet }: { dataSet: DataSetView }) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** The data set when the form opened. */
  const [base] = useState(dataSet);
  const [conflict, setConflict] = useState<{ theirs: DataSetView; mine: DataSetEdit; merge: Merge<Details> }>();

  async function store(revision: number, before: Details, edit: DataSetEdit): Promise<void> {
    const details = detailsOf(edit);
    const change = Object.fromEntries(
      Object.entries(details)
        .filter(([field, value]) => before[field as keyof Details] !== value)
        .map(([field, value]) => [field === 'chosenLabelField' ? 'labelField' : field, value]),
    );
    if (Object.keys(change).length > 0) await changeDataSet(base.id, revision, change);
    const collectionIdsBefore = new Set(base.collections.map(({ id }) => id));
    const collectionIdsAfter = new Set(edit.collections.map(({ id }) => id));
    // Add first: users who have ADMIN only through a removed collection lose ADMIN with the removal.
    for (const { id } of edit.collections) if (!collectionIdsBefore.has(id)) await addToCollection(id, base.id);
    for (const { id } of base.collections) if (!collectionIdsAfter.has(id)) await removeFromCollection(id, base.id);
    notify.success('Data set saved', { description: edit.name, href: `/reference-data/${base.id}` });
    await reloadDataSets(queries);
    void navigate(`/reference-data/${base.id}`, { state: SAVED });
  }

  async function save(edit: DataSetEdit) {
    try {
      await store(base.revision, base, edit);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'STALE') return mergeWithTheirs(edit);
      return { problem: messageOf(error) };
    }
    return undefined;
  }

  /**
   * Merges the details with the version that another user saved first, and saves the result. Opens a dialog instead
   * if both users changed the same fields.
   */
  async function mergeWithTheirs(mine: DataSetEdit): Promise<{ problem: string } | undefined> {
    try {
      const theirs = await read<DataSetView>(`/api/reference-data/${base.id}`, { fresh: true });
      const merged = mergeEdits(detailsOf(base), detailsOf(mine), detailsOf(theirs));
      if (merged.overlaps.length > 0) setConflict({ theirs, mine, merge: merged });
      else await store(theirs.revision, theirs, { ...mine, ...merged.merged });
      return undefined;
    } catch (error) {
      return { problem: messageOf(error) };
    }
  }

  return (
    <>
      <PageHeader
        title={`Edit ${base.name}`}
        description="Details and collections; rows are edited on the data set’s page."
      />
      <DataSetForm
        initial={{
          ...detailsOf(base),
          typeId: base.typeId,
          keyFields: base.primaryKeyFields,
          collections: base.collections,
        }}
        saves={SAVE_BUTTONS}
        onSave={save}
        typeLockReason="The type of a data set cannot be changed: its rows use the fields of the type."
      />
      {conflict !== undefined && (
        <ConflictDialog
          overlaps={conflict.merge.overlaps}
          labels={LABELS}
          onCancel={() => setConflict(undefined)}
          onResolve={(ownFields) => {
            const resolvedEdit = { ...conflict.merge.merged };
            for (const field of ownFields) Object.assign(resolvedEdit, { [field]: conflict.mine[field] });
            setConflict(undefined);
            store(conflict.theirs.revision, conflict.theirs, { ...conflict.mine, ...resolvedEdit }).catch((error) =>
              notify.error(messageOf(error), { title: 'The data set was not saved' }),
            );
          }}
        />
      )}
    </>
  );
}
