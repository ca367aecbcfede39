/** What stands in a table for rows that are not rendered or not there yet. */
import { Skeleton } from '../ui/skeleton.tsx';

const SKELETON_ROWS = 8;
const SKELETON_WIDTHS = ['w-3/4', 'w-1/2', 'w-2/3', 'w-1/3'];

/** Stands for the rows above or below that are not rendered. */
export function Spacer({ height }: { height: number }) {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without tabindex never takes the focus
  return <tr aria-hidden="true" style={{ height }} />;
}

/**
 * Stands for what a row that is being read will say; no two neighbours are equally long. It stands still: what pulses is a
 * layer of its own to the browser, and whoever scrolls fast has a screen full of them.
 */
export function SkeletonCell({ place }: { place: number }) {
  return <Skeleton className={`animate-none ${SKELETON_WIDTHS[place % SKELETON_WIDTHS.length] ?? 'w-1/2'}`} />;
}

export function SkeletonRows({ columns, height }: { columns: number; height: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        <td key={column} className="border-hairline border-b px-2" style={{ height }}>
          <SkeletonCell place={row + column} />
        </td>
      ))}
    </tr>
  ));
}
