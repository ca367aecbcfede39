/** The dialog that adds a data set to collections. Grants on a collection also apply to its data sets. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Checklist, SearchInput } from '../../../components/checklist/index.tsx';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { collectionChoicesQuery } from '../../../lib/data-sets/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { addToCollection, reloadDataSets } from '../api/data-sets.ts';

export function AddToCollectionDialog({ dataSet, onClose }: { dataSet: DataSetView; onClose: () => void }) {
  const queries = useQueryClient();
  const { data, error, refetch } = useQuery(collectionChoicesQuery);
  const [search, setSearch] = useState('');
  const [chosenIds, setChosenIds] = useState<ReadonlySet<number>>(new Set());
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const needle = search.trim().toLocaleLowerCase();
  const otherCollections = data?.filter(
    ({ id, level }) => level === 'ADMIN' && !dataSet.collections.some((collection) => collection.id === id),
  );
  const matchingCollections = otherCollections?.filter(({ name }) => name.toLocaleLowerCase().includes(needle));

  async function add() {
    setBusy(true);
    setProblem(undefined);
    const remaining = new Set(chosenIds);
    try {
      for (const id of chosenIds) {
        await addToCollection(id, dataSet.id);
        remaining.delete(id);
      }
      notify.success(chosenIds.size === 1 ? 'Added to the collection' : `Added to ${chosenIds.size} collections`, {
        description: dataSet.name,
      });
      await reloadDataSets(queries);
      onClose();
    } catch (failure) {
      // A retry must not add the data set to the same collections again.
      setChosenIds(remaining);
      setProblem(messageOf(failure));
      setBusy(false);
      await reloadDataSets(queries);
    }
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Add ${dataSet.name} to a collection`}
      description="Select collections on which you have ADMIN. Their grants will also apply to the data set."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={chosenIds.size === 0 || busy} aria-busy={busy} onClick={() => void add()}>
            {chosenIds.size < 2 ? 'Add' : `Add to ${chosenIds.size} collections`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        {error !== null && data === undefined ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : otherCollections === undefined || matchingCollections === undefined ? (
          <Skeleton className="w-1/2" />
        ) : otherCollections.length === 0 ? (
          <EmptyState
            title="No other collection"
            description="The data set is in all collections of which you are ADMIN, or you are ADMIN of none."
          />
        ) : (
          <>
            <SearchInput label="Search collections" value={search} onChange={setSearch} />
            {matchingCollections.length === 0 && <p className="text-muted">No collection matches.</p>}
            <Checklist
              options={matchingCollections.map(({ id, name, description }) => ({ id, name, detail: description }))}
              selectedIds={chosenIds}
              onChange={setChosenIds}
            />
          </>
        )}
      </div>
    </Dialog>
  );
}
