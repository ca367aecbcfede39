/** The number of integrity issues of a data set, as a badge with a warning icon. */
import { TriangleAlert } from 'lucide-react';
import { Badge } from '../../../components/ui/badge.tsx';
import { formatNumber } from '../../../lib/number-format.ts';

/** `bare` omits the word “broken”, for a place where a heading already describes the number. */
export function BrokenBadge({ count, bare = false }: { count: number; bare?: boolean }) {
  return (
    <Badge className="border-pending bg-pending-fill text-pending-text">
      <TriangleAlert aria-hidden="true" className="size-3" />
      {formatNumber(count)}
      {!bare && ' broken'}
    </Badge>
  );
}
