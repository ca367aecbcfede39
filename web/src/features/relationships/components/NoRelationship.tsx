/** Said where a link leads to a relationship that is gone or not shared. */
import { Link } from 'react-router-dom';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { Button } from '../../../components/ui/button.tsx';

export function NoRelationship() {
  return (
    <EmptyState
      title="This relationship does not exist"
      description="It was deleted, or nobody has shared it with you."
      action={
        <Button asChild>
          <Link to="/relationships">All relationships</Link>
        </Button>
      }
    />
  );
}
