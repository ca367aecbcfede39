/** Said where an address leads to something that is not there, or not to be seen: then or now. */
import { Link } from 'react-router-dom';
import { type ApiError, NoLongerShared } from '../../lib/api/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { useIsPast } from '../../lib/past/index.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState } from './index.tsx';

export interface NoSuchProps {
  /** What it would be, such as `crosswalk`. */
  what: string;
  /** The refusal: what was shown until a moment ago is not said to have never been. */
  error: ApiError;
  /** The list of what there is. */
  list: { to: string; label: string };
}

const wordsOf = (what: string, error: ApiError, isPast: boolean): { title: string; description: string } => {
  if (error instanceof NoLongerShared) return { title: `This ${what} is gone`, description: messageOf(error) };
  if (isPast) {
    return {
      title: `There was no such ${what} then`,
      description: 'It was created later or deleted before, or nobody has shared it with you.',
    };
  }
  return { title: `This ${what} does not exist`, description: 'It was deleted, or nobody has shared it with you.' };
};

export function NoSuch({ what, error, list }: NoSuchProps) {
  const isPast = useIsPast();
  return (
    <EmptyState
      {...wordsOf(what, error, isPast)}
      action={
        <Button asChild>
          <Link to={list.to}>{list.label}</Link>
        </Button>
      }
    />
  );
}
