/**
 * Before printing, stores a text about the printed rows of a list, because only rendered rows are printed. `print.css`
 * prints the text below the list.
 */
import { type RefObject, useEffect } from 'react';
import { formatNumber } from '../../lib/number-format.ts';

export function usePrintedRows(viewport: RefObject<HTMLElement | null>, total: number | undefined): void {
  useEffect(() => {
    const storeText = () => {
      const list = viewport.current;
      const rows = list?.querySelectorAll('tr[data-row]:not([data-unseen])') ?? [];
      if (list === null || rows.length === 0) return list?.removeAttribute('data-printed-rows');
      list.dataset['printedRows'] = printedRowsText(ordinalOf(rows[0]), ordinalOf(rows[rows.length - 1]), total);
    };
    window.addEventListener('beforeprint', storeText);
    return () => window.removeEventListener('beforeprint', storeText);
  }, [viewport, total]);
}

/** The position of a row, from 1: in `aria-rowindex` the header is row 1. */
const ordinalOf = (row: Element | undefined): number => Number(row?.getAttribute('aria-rowindex')) - 1;

function printedRowsText(first: number, last: number, total: number | undefined): string {
  const range = `Rows ${formatNumber(first)}–${formatNumber(last)}`;
  if (first === 1 && last === total) return `${range} of ${formatNumber(total)}`;
  return `${range}${total === undefined ? '' : ` of ${formatNumber(total)}`}: only displayed rows are printed`;
}
