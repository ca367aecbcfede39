/** Creates a data set, blank or to be filled from a file at once. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { parseAsInteger, useQueryState } from 'nuqs';
import { useNavigate } from 'react-router-dom';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { SAVED } from '../../../components/leave-guard/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useAbility } from '../../../lib/auth/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import {
  addToCollection,
  changeDataSet,
  collectionChoicesQuery,
  createDataSet,
  reloadDataSets,
} from '../api/data-sets.ts';
import { type DataSetEdit, DataSetForm, NEW_DATA_SET } from '../components/DataSetForm.tsx';

const SAVES = [
  { next: 'import', label: 'Create and import a file' },
  { next: 'open', label: 'Create empty' },
];
const NOT_SAVED = 'The data set was not created';

export default function CreateDataSet() {
  const mayCreate = useAbility('dataSets.create');
  const navigate = useNavigate();
  const queries = useQueryClient();
  /** A collection's page leads here with its own id. */
  const [collectionId] = useQueryState('collection', parseAsInteger);
  const collections = useQuery({ ...collectionChoicesQuery, enabled: collectionId !== null });

  if (!mayCreate) {
    return (
      <>
        <PageHeader title="Create a Data Set" />
        <EmptyState
          title="You may not create data sets"
          description="Your role lacks this ability: ask an administrator."
        />
      </>
    );
  }
  if (collectionId !== null && collections.isPending) return <Skeleton className="w-1/3" />;
  const within = collections.data?.find(({ id, level }) => id === collectionId && level === 'ADMIN');

  async function save(edit: DataSetEdit, next: string) {
    const { name, description, typeId, keyFields, collections: chosen, isPublic } = edit;
    const [first, ...others] = chosen;
    let created: { id: number; revision?: number };
    try {
      created = await createDataSet({
        name,
        description,
        typeId,
        ...(keyFields === undefined ? {} : { keyFields }),
        ...(first === undefined ? {} : { collectionId: first.id }),
      });
    } catch (error) {
      notify.error(messageOf(error), { title: NOT_SAVED, shownInPage: true });
      return { problem: messageOf(error) };
    }
    try {
      for (const { id } of others) await addToCollection(id, created.id);
      if (isPublic) await changeDataSet(created.id, created.revision ?? 1, { isPublic });
    } catch (error) {
      notify.error(messageOf(error), { title: 'The data set was created, but not with everything you chose' });
    }
    notify.success('Data set created', { description: name, href: `/reference-data/${created.id}` });
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
      <DataSetForm
        initial={{
          ...NEW_DATA_SET,
          collections: within === undefined ? [] : [{ id: within.id, name: within.name }],
        }}
        saves={SAVES}
        onSave={save}
      />
    </>
  );
}
