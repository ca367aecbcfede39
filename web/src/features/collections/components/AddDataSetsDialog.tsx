/** Adds data sets to a collection. The user searches for the data sets by name and selects them. */
import type { CollectionView } from '@rdm/contracts/collections/collections';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checklist, SearchInput } from '../../../components/checklist/index.tsx';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { dataSetChoicesQuery } from '../../../lib/data-sets/index.ts';
import { useSearchText } from '../../../lib/debounce/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { addDataSets, reloadCollections } from '../api/collections.ts';

export function AddDataSetsDialog({ collection, onClose }: { collection: CollectionView; onClose: () => void }) {
  const queries = useQueryClient();
  const { search, setSearch, debounced } = useSearchText();
  const [chosenIds, setChosenIds] = useState<ReadonlySet<number>>(new Set());
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { data, error, refetch } = useQuery(dataSetChoicesQuery(debounced, 'ADMIN'));
  const addable = data?.items.filter(({ collections }) => !collections.some(({ id }) => id === collection.id));

  const isComplete = data?.total === data?.items.length;
  const nothingToAddText = isComplete
    ? 'Every data set on which you have ADMIN is already in this collection.'
    : 'The first data sets by name are already in this collection. Search for other data sets.';

  async function add() {
    setBusy(true);
    setProblem(undefined);
    try {
      await addDataSets(collection.id, [...chosenIds]);
      notify.success(chosenIds.size === 1 ? 'Data set added' : `${chosenIds.size} data sets added`);
      await reloadCollections(queries);
      onClose();
    } catch (failure) {
      setProblem(messageOf(failure));
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Add data sets to ${collection.name}`}
      description="Select data sets on which you have ADMIN. Added data sets also get the grants of the collection."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={chosenIds.size === 0 || busy} aria-busy={busy} onClick={() => void add()}>
            {chosenIds.size < 2 ? 'Add data set' : `Add ${chosenIds.size} data sets`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <SearchInput label="Search data sets" value={search} onChange={setSearch} />
        {error !== null && data === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : addable === undefined ? (
          <Skeleton className="w-1/2" />
        ) : addable.length === 0 ? (
          <EmptyState
            title={debounced === '' ? 'Nothing to add' : 'Nothing matches'}
            description={debounced === '' ? nothingToAddText : 'No data set that you can add matches the search.'}
          />
        ) : (
          <Checklist
            options={addable.map(({ id, name, typeName }) => ({ id, name, detail: typeName }))}
            selectedIds={chosenIds}
            onChange={setChosenIds}
          />
        )}
      </div>
    </Dialog>
  );
}
