/** What a spreadsheet's thread is sent. */
import type { DataType } from '@rdm/contracts';

export interface WorkbookColumn {
  name: string;
  dataType: DataType;
}

export interface WorkbookData {
  title: string;
  columns: readonly WorkbookColumn[];
}

export type WorkbookMessage = { rows: readonly (readonly unknown[])[] } | { end: true };
