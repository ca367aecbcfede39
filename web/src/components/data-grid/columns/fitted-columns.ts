/** Adjusts the widths of columns to their content and headers, measured after rendering. */
import { type RefObject, useLayoutEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { useIsMobile } from '../../../lib/media/index.ts';
import type { GridColumn } from '../types.ts';
import { type ColumnSize, distributeNarrowWidth, distributeWidth, needOf, needOfWidth, widthOf } from './column-fit.ts';
import type { ColumnWidths } from './column-widths.ts';
import { VIRTUAL_FROM } from './column-window.ts';

export interface FittedColumnsOptions<Row> {
  viewport: RefObject<HTMLElement | null>;
  columns: readonly GridColumn<Row>[];
  /** The widths that the user has set. */
  widths: ColumnWidths;
  /** Width in pixels of the parts of the list that belong to no column: checkbox and actions. */
  otherWidth: number;
  /** Whether the list scrolls continuously instead of having pages. */
  isLong: boolean;
}

type Sizes = ReadonlyMap<string, ColumnSize>;

const NO_SIZES: Sizes = new Map();

export function useFittedColumns<Row>(options: FittedColumnsOptions<Row>): readonly GridColumn<Row>[] {
  const { viewport, columns, widths, otherWidth, isLong } = options;
  // With column virtualisation, the columns that are not rendered cannot be measured.
  const enabled = columns.length < VIRTUAL_FROM;
  const isMobile = useIsMobile();
  const [available, setAvailable] = useState(0);
  const [sizes, setSizes] = useState(NO_SIZES);

  useLayoutEffect(() => {
    const element = viewport.current;
    if (!enabled || element === null) return;
    const measure = () => setAvailable(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [viewport, enabled]);

  useLayoutEffect(() => {
    const element = viewport.current;
    if (!enabled || element === null || element.clientWidth === 0) return;
    const measure = () => {
      if (!hasTemporaryContent(element)) setSizes((before) => widestOf(before, sizesOf(element, columns)));
    };
    measure();
    // Measures again when content appears: rows, and the user names in them, are loaded after the first render.
    const observer = new MutationObserver(() => {
      // The columns of a long list must not change while it is scrolled, so the measuring ends.
      if (isLong && element.scrollTop > 0) observer.disconnect();
      else flushSync(measure);
    });
    observer.observe(element, { childList: true, characterData: true, subtree: true });
    return () => observer.disconnect();
  }, [viewport, enabled, columns, isLong]);

  return useMemo(() => {
    if (!enabled || available === 0 || sizes === NO_SIZES) return columns;
    const needs = columns.map((column) => {
      const width = widths[column.id];
      const size = sizes.get(column.id);
      return width !== undefined || size === undefined ? needOfWidth(widthOf(column)) : needOf(column, size);
    });
    const isNarrow = isMobile && Object.keys(widths).length === 0;
    const sharedWidths = isNarrow
      ? distributeNarrowWidth(needs, available - otherWidth)
      : distributeWidth(needs, available - otherWidth);
    return columns.map((column, index) => ({ ...column, width: sharedWidths[index] ?? 0 }));
  }, [columns, widths, enabled, available, sizes, isMobile, otherWidth]);
}

/**
 * Whether the list shows temporary content that must not be measured: an open editor, or the name of the user who
 * changed a highlighted row.
 */
const hasTemporaryContent = (list: HTMLElement): boolean =>
  list.querySelector('[data-flash], td[data-column] :is(input, textarea, select)') !== null;

/** Returns the new header sizes and the largest content sizes so far, so that widths do not change with every page. */
function widestOf(before: Sizes, measured: Sizes): Sizes {
  const after = new Map(before);
  let isChanged = false;
  for (const [id, size] of measured) {
    const old = before.get(id);
    const content = larger(old?.content, size.content);
    const word = larger(old?.word, size.word);
    if (old !== undefined && content === old.content && word === old.word && size.header === old.header) continue;
    after.set(id, { ...size, content, word });
    isChanged = true;
  }
  return isChanged ? after : before;
}

const larger = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);

function sizesOf<Row>(list: HTMLElement, columns: readonly GridColumn<Row>[]): Sizes {
  const table = list.querySelector('table');
  const row = list.querySelector<HTMLElement>('tr:has(> td[data-column])');
  const cells = [...(row?.querySelectorAll<HTMLElement>('td[data-column]') ?? [])];
  const [content, words] = table === null || row === null ? [NO_WIDTHS, NO_WIDTHS] : naturalWidths(list, table, cells);
  return new Map(
    columns.flatMap(({ id, wrap }) => {
      const head = list.querySelector<HTMLElement>(`th[data-column="${CSS.escape(id)}"]`);
      if (head === null) return [];
      return [[id, { content: content.get(id), word: wrap ? words.get(id) : undefined, ...headerSize(head) }]];
    }),
  );
}

const NO_WIDTHS: ReadonlyMap<string | undefined, number> = new Map();

/**
 * Measures the columns with all content on one line, and with one word per line. Lays out the table once for each
 * measurement, then restores its styles.
 */
function naturalWidths(list: HTMLElement, table: HTMLTableElement, cells: readonly HTMLElement[]) {
  const scrollPosition = { left: list.scrollLeft, top: list.scrollTop };
  const { tableLayout, width, minWidth } = table.style;
  const widths = () => new Map(cells.map((cell) => [cell.dataset['column'], cell.offsetWidth]));
  // Takes the head out of the layout, so that header texts are not measured. The head keeps the size of the table,
  // because a smooth scroll would end early if the scroll area became smaller during the measurement.
  const tableSize = { width: `${table.offsetWidth}px`, height: `${table.offsetHeight}px` };
  Object.assign(table.tHead?.style ?? {}, { position: 'absolute', top: '0', left: '0', ...tableSize });
  Object.assign(table.style, { position: 'relative', tableLayout: 'auto', width: 'max-content', minWidth: '0' });
  const content = widths();
  table.style.width = '0';
  const words = widths();
  Object.assign(table.style, { position: '', tableLayout, width, minWidth });
  table.tHead?.removeAttribute('style');
  // The table had another height during the measurement, which may have changed the scroll position.
  if (list.scrollTop !== scrollPosition.top || list.scrollLeft !== scrollPosition.left) list.scrollTo(scrollPosition);
  return [content, words] as const;
}

/** The widths of the header on one line, and on two lines with the best line break. */
function headerSize(head: HTMLElement): Pick<ColumnSize, 'header' | 'wrappedHeader'> {
  const text = head.querySelector('[data-header]');
  const node = text?.firstChild;
  if (text === null || !(node instanceof Text)) return { header: 0, wrappedHeader: 0 };
  const zoom = head.getBoundingClientRect().width / head.offsetWidth || 1;
  const wordWidths = [...node.data.matchAll(/\S+/g)].map((word) => {
    const range = document.createRange();
    range.setStart(node, word.index);
    range.setEnd(node, word.index + word[0].length);
    // A broken word has one rectangle on each line.
    return [...range.getClientRects()].reduce((width, rect) => width + rect.width, 0) / zoom;
  });
  const reserved = CELL_PADDING + (head.querySelector('svg') === null ? 0 : SORT_MARK);
  const lineWidth = (widths: readonly number[]) => widths.reduce((all, each) => all + each + SPACE, -SPACE);
  const twoLineWidths = wordWidths.map((_, at) =>
    Math.max(lineWidth(wordWidths.slice(0, at + 1)), lineWidth(wordWidths.slice(at + 1))),
  );
  return {
    header: Math.ceil(lineWidth(wordWidths)) + reserved,
    wrappedHeader: Math.ceil(Math.min(...twoLineWidths)) + reserved,
  };
}

const CELL_PADDING = 17;
const SORT_MARK = 16;
const SPACE = 4;
