/**
 * Shows a form for a crosswalk or relationship to users with WRITE on at least one data set. Other users see the level
 * that they need.
 */
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { useMayJoinDataSets } from '../../lib/data-sets/index.ts';
import { EmptyState } from '../empty-state/index.tsx';
import { Button } from '../ui/button.tsx';
import { Skeleton } from '../ui/skeleton.tsx';

export interface DefinitionFormGuardProps {
  /** The kind of record that the form creates, in the plural, such as `crosswalks`. */
  plural: string;
  /** The path of the list of these records. */
  list: string;
  children: ReactNode;
}

export function DefinitionFormGuard({ plural, list, children }: DefinitionFormGuardProps) {
  const mayJoin = useMayJoinDataSets();
  if (mayJoin === undefined) return <Skeleton className="w-1/3" />;
  if (mayJoin) return children;
  return (
    <EmptyState
      title={`You cannot create ${plural}`}
      description="You need WRITE on the data set that you use as source. Contact an administrator of that data set."
      action={
        <Button asChild>
          <Link to={list}>{`All ${plural}`}</Link>
        </Button>
      }
    />
  );
}
