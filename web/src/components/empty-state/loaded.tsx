/** Renders the data of a query, a placeholder until data arrive, or the error of the last request. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Skeleton } from '../ui/skeleton.tsx';
import { ErrorState } from './index.tsx';

export interface LoadedProps<Data> {
  result: Pick<UseQueryResult<Data>, 'data' | 'error' | 'refetch'>;
  children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ result: { data, error, refetch }, children }: LoadedProps<Data>) {
  if (error !== null) return <ErrorState error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <Skeleton className="w-1/2" /> : children(data);
}
