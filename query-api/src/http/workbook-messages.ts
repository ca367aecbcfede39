/** The messages to the thread that writes a spreadsheet. */
import type { DataType } from '@rdm/contracts';

export interface WorkbookColumn {
  name: string;
  dataType: DataType;
}

/** A number or a date with its own number format. */
export interface FormattedCell {
  number: number | Date;
  numberFormat: string;
}

export interface WorkbookData {
  title: string;
  columns: readonly WorkbookColumn[];
}

export type WorkbookMessage = { rows: readonly (readonly unknown[])[] } | { end: true };
