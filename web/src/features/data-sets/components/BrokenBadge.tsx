/** How much of a data set is broken: the number, a sign and the word for whoever does not see it. */
import { TriangleAlert } from 'lucide-react';
import { Badge } from '../../../components/ui/badge.tsx';
import { grouped } from '../../../lib/number-format.ts';

/** `bare` where a heading says what is counted. */
export function BrokenBadge({ count, bare = false }: { count: number; bare?: boolean }) {
  return (
    <Badge className="border-pending bg-pending-fill text-pending-text">
      <TriangleAlert aria-hidden="true" className="size-3" />
      {grouped(count)}
      {!bare && ' broken'}
    </Badge>
  );
}
