/** Selects the data set to import into. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link } from 'react-router-dom';
import { EmptyState, ErrorState } from '../../../components/empty-state/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Input } from '../../../components/ui/input.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { useAbility } from '../../../lib/auth/index.ts';
import { dataSetChoicesQuery } from '../../../lib/data-sets/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { StepFrame } from './StepFrame.tsx';

const SEARCH_PAUSE_MS = 250;
export interface TargetStepProps {
  chosen: number | undefined;
  onChoose: (dataSet: DataSetView) => void;
}

export function TargetStep({ chosen, onChoose }: TargetStepProps) {
  const mayCreate = useAbility('dataSets.create');
  const [text, setText] = useState('');
  const [q, setQ] = useState('');
  const { data, error, refetch } = useQuery(dataSetChoicesQuery(q));
  const writable = data?.items.filter(({ level }) => hasLevel(level, 'WRITE'));

  useEffect(() => {
    const timer = setTimeout(() => setQ(text), SEARCH_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);

  const create = mayCreate && (
    <Button asChild>
      <Link to="/reference-data/create">
        <Plus />
        Create a data set
      </Link>
    </Button>
  );
  return (
    <StepFrame title="Which data set does the file belong to?" description="Data sets in which you can write.">
      <div className="flex flex-wrap gap-2">
        <Input
          type="search"
          aria-label="Search data sets"
          placeholder="Search"
          className="w-full sm:w-72"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {create}
      </div>
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : writable === undefined ? (
        <Skeleton className="w-1/3" />
      ) : writable.length === 0 ? (
        <EmptyState
          title={q === '' ? 'No data set to import into' : 'Nothing matches'}
          description={
            q === '' ? 'Importing needs WRITE on a data set: ask one of its administrators.' : 'Try another name.'
          }
          action={q === '' && create}
        />
      ) : (
        <ul className="grid gap-2 md:grid-cols-2">
          {writable.map((dataSet) => (
            <li key={dataSet.id}>
              <button
                type="button"
                aria-pressed={dataSet.id === chosen}
                onClick={() => onChoose(dataSet)}
                className="flex h-full w-full flex-col rounded-md border border-hairline px-3 py-2 text-left hover:bg-hover aria-pressed:border-accent aria-pressed:bg-accent-soft"
              >
                <span className="font-medium">{dataSet.name}</span>
                <span className="text-muted text-xs">
                  {dataSet.typeName} · {formatNumber(dataSet.instanceCount)} rows ·{' '}
                  {dataSet.collections.map(({ name }) => name).join(', ') || 'no collection'}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </StepFrame>
  );
}
