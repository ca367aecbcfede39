/** The page that creates an empty data set. The user can then import a file. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, useQueryState } from 'nuqs';
import { useNavigate } from 'react-router-dom';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { SAVED } from '../../../components/leave-guard/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useAbility } from '../../../lib/auth/index.ts';
import { collectionChoicesQuery } from '../../../lib/data-sets/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { createDataSet, reloadDataSets } from '../api/data-sets.ts';
import { type DataSetEdit, DataSetForm, NEW_DATA_SET } from '../components/DataSetForm.tsx';

const SAVE_BUTTONS = [
  { next: 'import', label: 'Create and import a file' },
  { next: 'open', label: 'Create an empty data set' },
];
const NOT_CREATED = 'The data set was not created';

export default function CreateDataSet() {
  const mayCreate = useAbility('dataSets.create');
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** The id of the collection of the new data set, if the user came from the page of a collection. */
  const [collectionId] = useQueryState('collection', parseAsInteger);
  // Reloaded on every visit, because the collection may be newer than the cached list.
  const collections = useQuery({ ...collectionChoicesQuery, enabled: collectionId !== null, refetchOnMount: 'always' });

  if (!mayCreate) {
    return (
      <>
        <PageHeader title="Create a Data Set" />
        <EmptyState
          title="You cannot create data sets"
          description="Your role lacks this ability: ask an administrator."
        />
      </>
    );
  }
  const targetCollection = collections.data?.find(({ id, level }) => id === collectionId && level === 'ADMIN');
  if (collectionId !== null && targetCollection === undefined && collections.isFetching)
    return <Skeleton className="w-1/3" />;

  async function save(edit: DataSetEdit, next: string) {
    const { collections: chosenCollections, chosenLabelField: labelField, ...dataSet } = edit;
    let created: { id: number };
    try {
      created = await createDataSet({ ...dataSet, labelField, collectionIds: chosenCollections.map(({ id }) => id) });
    } catch (error) {
      notify.error(messageOf(error), { title: NOT_CREATED, shownInPage: true });
      return { problem: messageOf(error) };
    }
    notify.success('Data set created', { description: edit.name, href: `/reference-data/${created.id}` });
    void reloadDataSets(queries);
    void navigate(`/reference-data/${created.id}${next === 'import' ? '/import' : ''}`, { state: SAVED });
    return undefined;
  }

  return (
    <>
      <PageHeader
        title="Create a Data Set"
        description="One code list: its rows are imported from a file or typed in."
      />
      {collectionId !== null && targetCollection === undefined && (
        <Alert tone="warning" title="The collection cannot be chosen" className="mb-4 max-w-2xl">
          The collection does not exist, you are not ADMIN of it, or the collections could not be loaded. The data set
          will be in no collection unless you choose another collection.
        </Alert>
      )}
      <DataSetForm
        key={collectionId}
        initial={{
          ...NEW_DATA_SET,
          collections: targetCollection === undefined ? [] : [{ id: targetCollection.id, name: targetCollection.name }],
        }}
        saves={SAVE_BUTTONS}
        onSave={save}
      />
    </>
  );
}
