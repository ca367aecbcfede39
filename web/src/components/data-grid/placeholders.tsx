/** Placeholders for rows that are not rendered or not loaded. */
import { Skeleton } from '../ui/skeleton.tsx';

const SKELETON_ROWS = 8;
const SKELETON_WIDTHS = ['w-3/4', 'w-1/2', 'w-2/3', 'w-1/3'];

/** Takes the space of rows that are not rendered. */
export function Spacer({ height }: { height: number }) {
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row without tabindex never takes the focus
  return <tr aria-hidden="true" style={{ height }} />;
}

/**
 * The only cell of a loading row in a long list. A cell per column would be slow, because dragging the scrollbar
 * renders a screen of such rows in every frame. The cell is not animated, because the browser would create a layer for
 * each animation.
 */
export function SkeletonCell({ colSpan }: { colSpan: number }) {
  return <td colSpan={colSpan} className={`border-hairline border-b ${barClasses}`} />;
}

const barClasses =
  'bg-[length:100%_12px] bg-[repeating-linear-gradient(90deg,transparent_0_8px,var(--hairline)_8px_112px,transparent_112px_184px,var(--hairline)_184px_248px,transparent_248px_320px)] bg-center bg-no-repeat';

export function SkeletonRows({ columns, height }: { columns: number; height: number }) {
  return Array.from({ length: SKELETON_ROWS }, (_, row) => (
    <tr key={row}>
      {Array.from({ length: columns }, (_, column) => (
        <td key={column} className="border-hairline border-b px-2" style={{ height }}>
          <Skeleton className={SKELETON_WIDTHS[(row + column) % SKELETON_WIDTHS.length] ?? 'w-1/2'} />
        </td>
      ))}
    </tr>
  ));
}
