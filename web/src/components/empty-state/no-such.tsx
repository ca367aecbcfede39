/** Said where an address leads to something that is not there, or not to be seen: then or now. */
import { Link } from 'react-router-dom';
import { useIsPast } from '../../lib/past/index.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from './index.tsx';

export interface NoSuchProps {
  /** What it would be, such as `crosswalk`. */
  what: string;
  /** The list of what there is. */
  list: { to: string; label: string };
}

export function NoSuch({ what, list }: NoSuchProps) {
  const isPast = useIsPast();
  return (
    <EmptyState
      title={isPast ? `There was no such ${what} then` : `This ${what} does not exist`}
      description={
        isPast
          ? 'It was created later or deleted before, or nobody has shared it with you.'
          : 'It was deleted, or nobody has shared it with you.'
      }
      action={
        <Button asChild>
          <Link to={list.to}>{list.label}</Link>
        </Button>
      }
    />
  );
}
