/** Replaces a record that does not exist, is not shared with the user, or could not be read. */
import { Link } from 'react-router-dom';
import { ApiError, NoLongerShared } from '../../lib/api/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { useIsPast } from '../../lib/past/index.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, ErrorState } from './index.tsx';

export interface NotLoadedProps {
  /** The kind of record, such as `crosswalk`. */
  noun: string;
  error: unknown;
  onRetry: () => void;
  /** The link to the list of records. */
  list: { to: string; label: string };
}

const textsOf = (noun: string, error: ApiError, isPast: boolean): { title: string; description: string } => {
  if (error instanceof NoLongerShared) return { title: `This ${noun} is gone`, description: messageOf(error) };
  if (isPast) {
    return {
      title: `This ${noun} did not exist at this time`,
      description: 'It was created later, deleted before, or is not shared with you.',
    };
  }
  return {
    title: `This ${noun} does not exist`,
    description: 'It was never created, was deleted, or is not shared with you.',
  };
};

export function NotLoaded({ noun, error, onRetry, list }: NotLoadedProps) {
  const isPast = useIsPast();
  const isGone = error instanceof NoLongerShared || (error instanceof ApiError && error.status === 404);
  const listLink = (
    <Button asChild>
      <Link to={list.to}>{list.label}</Link>
    </Button>
  );
  return (
    <>
      <h1 className="sr-only">{`Not loaded: ${noun}`}</h1>
      {isGone ? (
        <EmptyState {...textsOf(noun, error, isPast)} action={listLink} />
      ) : (
        <ErrorState
          title={`This ${noun} could not be loaded`}
          error={error}
          actions={
            <>
              <Button variant="primary" onClick={onRetry}>
                Try Again
              </Button>
              {listLink}
            </>
          }
        />
      )}
    </>
  );
}
