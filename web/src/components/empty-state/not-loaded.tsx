/** Replaces a record that does not exist, is not shared with the user, or could not be read. */
import { Link } from 'react-router-dom';
import { ApiError, NoLongerShared } from '../../lib/api/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { useIsPast } from '../../lib/past/index.ts';
import { Button } from '../ui/button.tsx';
import { EmptyState, ErrorState } from './index.tsx';

export interface NotLoadedProps {
  /** The kind of record, such as `crosswalk`. */
  what: string;
  error: unknown;
  onRetry: () => void;
  /** The list of existing records. */
  list: { to: string; label: string };
}

const wordsOf = (what: string, error: ApiError, isPast: boolean): { title: string; description: string } => {
  if (error instanceof NoLongerShared) return { title: `This ${what} is gone`, description: messageOf(error) };
  if (isPast) {
    return {
      title: `This ${what} did not exist at this time`,
      description: 'It was created later, deleted before, or is not shared with you.',
    };
  }
  return { title: `This ${what} does not exist`, description: 'It was deleted, or it is not shared with you.' };
};

export function NotLoaded({ what, error, onRetry, list }: NotLoadedProps) {
  const isPast = useIsPast();
  const isGone = error instanceof NoLongerShared || (error instanceof ApiError && error.status === 404);
  const toList = (
    <Button asChild>
      <Link to={list.to}>{list.label}</Link>
    </Button>
  );
  return (
    <>
      <h1 className="sr-only">{`Not loaded: ${what}`}</h1>
      {isGone ? (
        <EmptyState {...wordsOf(what, error, isPast)} action={toList} />
      ) : (
        <ErrorState
          title={`This ${what} could not be loaded`}
          error={error}
          actions={
            <>
              <Button variant="primary" onClick={onRetry}>
                Try Again
              </Button>
              {toList}
            </>
          }
        />
      )}
    </>
  );
}
