/** On a narrow screen as many columns as find room fill the list exactly: its edge cuts through none of them. */
import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { useIsMobile } from '../../lib/media/index.ts';
import { widthOf } from './shown-columns.ts';
import type { GridColumn } from './types.ts';

/** What of its least width a column may lose so that one more is there. */
const SQUEEZED_TO = 0.75;

/** `room`: pixels for the columns in sight. */
export function filling<Row>(columns: readonly GridColumn<Row>[], room: number): readonly GridColumn<Row>[] {
  const ends: number[] = [];
  for (const column of columns) ends.push((ends.at(-1) ?? 0) + widthOf(column));
  if (room <= 0 || (ends.at(-1) ?? 0) <= room) return columns;
  const last = Math.max(
    0,
    ends.findLastIndex((end) => end * SQUEEZED_TO <= room),
  );
  const placed = (end: number) => Math.round((end * room) / (ends[last] ?? room));
  return columns.map((column, place) =>
    place > last ? column : { ...column, width: placed(ends[place] ?? 0) - placed(ends[place - 1] ?? 0) },
  );
}

/** `around`: pixels of the list beside its columns; not `enabled`, columns are as wide as somebody made them. */
export function useNarrowColumns<Row>(
  viewport: RefObject<HTMLElement | null>,
  columns: readonly GridColumn<Row>[],
  around: number,
  enabled: boolean,
): readonly GridColumn<Row>[] {
  const narrow = useIsMobile() && enabled;
  const [width, setWidth] = useState<number>();
  useLayoutEffect(() => {
    const element = viewport.current;
    if (!narrow || element === null) return setWidth(undefined);
    const measure = () => setWidth(element.clientWidth);
    measure();
    const sizes = new ResizeObserver(measure);
    sizes.observe(element);
    return () => sizes.disconnect();
  }, [viewport, narrow]);
  return useMemo(() => (width === undefined ? columns : filling(columns, width - around)), [columns, width, around]);
}
