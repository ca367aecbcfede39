/** Adds data sets to a collection: found by name and selected. */
import type { CollectionView } from '@rdm/contracts/collections/collections';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Search } from 'lucide-react';
import { useState } from 'react';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Input } from '../../../components/ui/input.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { dataSetChoicesQuery } from '../../../lib/data-sets/index.ts';
import { useSearchText } from '../../../lib/debounce/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { addDataSets, reloadCollections } from '../api/collections.ts';

export function AddDataSetsDialog({ collection, onClose }: { collection: CollectionView; onClose: () => void }) {
  const queries = useQueryClient();
  const { search, setSearch, debounced } = useSearchText();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const { data, error, refetch } = useQuery(dataSetChoicesQuery(debounced, 'ADMIN'));
  const addable = data?.items.filter(({ collections }) => !collections.some(({ id }) => id === collection.id));

  function toggle(id: number, checked: boolean) {
    const next = new Set(chosen);
    if (checked) next.add(id);
    else next.delete(id);
    setChosen(next);
  }

  async function add() {
    setBusy(true);
    setProblem(undefined);
    try {
      await addDataSets(collection.id, [...chosen]);
      notify.success(chosen.size === 1 ? 'Data set added' : `${chosen.size} data sets added`);
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
      description="Data sets of which you are ADMIN. The grants of the collection will also apply to them."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={chosen.size === 0 || busy} aria-busy={busy} onClick={() => void add()}>
            {chosen.size < 2 ? 'Add data set' : `Add ${chosen.size} data sets`}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <div className="relative">
          <Search aria-hidden="true" className="pointer-events-none absolute top-2 left-2 size-4 text-muted" />
          <Input
            type="search"
            aria-label="Search data sets"
            placeholder="Search"
            className="pl-8"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </div>
        {error !== null && data === undefined ? (
          <ErrorState message={messageOf(error)} onRetry={() => void refetch()} />
        ) : addable === undefined ? (
          <Skeleton className="w-1/2" />
        ) : addable.length === 0 ? (
          <EmptyState
            title={debounced === '' ? 'Nothing to add' : 'Nothing matches'}
            description="Every data set of which you are ADMIN is in this collection, or none fits the search."
          />
        ) : (
          <ul className="divide-y divide-hairline border-hairline border-y">
            {addable.map(({ id, name, typeName }) => (
              <li key={id} className="py-2">
                <LabelledCheckbox
                  checked={chosen.has(id)}
                  onCheckedChange={(checked) => toggle(id, checked === true)}
                  label={
                    <>
                      {name} <span className="text-muted">{typeName}</span>
                    </>
                  }
                />
              </li>
            ))}
          </ul>
        )}
      </div>
    </Dialog>
  );
}
