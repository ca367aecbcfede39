/** Replaces the page of a definition while it is loading, or if it could not be loaded. */
import type { DefinitionName } from '../../lib/definitions/index.ts';
import { NotLoaded } from '../empty-state/not-loaded.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export interface DefinitionLoadingProps {
  name: DefinitionName;
  result: { error: Error | null; refetch: () => unknown };
}

export function DefinitionLoading({ name, result: { error, refetch } }: DefinitionLoadingProps) {
  if (error === null) return <Skeleton className="mt-4 w-1/3" />;
  return (
    <NotLoaded
      noun={name}
      error={error}
      onRetry={() => void refetch()}
      list={{ to: `/${name}s`, label: `All ${name}s` }}
    />
  );
}
