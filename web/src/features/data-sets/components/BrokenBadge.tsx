/** The number of broken values of a data set, with an icon and a text for screen readers. */
import { TriangleAlert } from 'lucide-react';
import { Badge } from '../../../components/ui/badge.tsx';
import { formatNumber } from '../../../lib/number-format.ts';

/** `bare` omits the word “broken”, if a heading already describes the number. */
export function BrokenBadge({ count, bare = false }: { count: number; bare?: boolean }) {
  return (
    <Badge className="border-pending bg-pending-fill text-pending-text">
      <TriangleAlert aria-hidden="true" className="size-3" />
      {formatNumber(count)}
      {!bare && ' broken'}
    </Badge>
  );
}
