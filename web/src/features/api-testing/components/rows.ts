/** Rows of the CSV with their translations and messages. */

import { MAPPED_CHARACTERS_MAX } from '@rdm/contracts/crosswalks/mappings';
import type { TranslationView } from '@rdm/contracts/crosswalks/translation';
import { WORDS } from '@rdm/contracts/refusal';
import { holdsStorableText } from '@rdm/contracts/text/text';
import { ApiError } from '../../../lib/api/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';

export const ROW_STATUSES = ['MAPPED', 'FALLBACK', 'UNMAPPED', 'FAILED'] as const;
export type RowStatus = (typeof ROW_STATUSES)[number] | 'WAITING';

export interface TransformedRow {
  /** Counted from 1 below the header row. */
  number: number;
  cells: readonly string[];
  status: RowStatus;
  /** The target values of the mappings or, without a mapping, the fallback. Empty if the row has no translation. */
  targets: readonly string[];
  /** Explains the status; empty if the status needs no explanation. */
  detail: string;
}

export const failedRow = (row: TransformedRow, detail: string): TransformedRow => ({
  ...row,
  status: 'FAILED',
  targets: [],
  detail,
});

/**
 * Creates a row for translation. The row fails if the number of cells is wrong, or if its value would make the server
 * reject the whole batch.
 */
export function toRow(
  cells: readonly string[],
  index: number,
  columnCount: number,
  columnIndex: number,
): TransformedRow {
  const row: TransformedRow = { number: index + 1, cells, status: 'WAITING', targets: [], detail: '' };
  if (cells.length !== columnCount) {
    const values = cells.length === 1 ? '1 value' : `${cells.length} values`;
    return failedRow(row, `This row has ${values}, but the header row has ${columnCount}`);
  }
  const value = cells[columnIndex] ?? '';
  if (!holdsStorableText(value)) return failedRow(row, WORDS.unstorableText);
  if (value.length > MAPPED_CHARACTERS_MAX) {
    return failedRow(row, `The value is longer than ${formatNumber(MAPPED_CHARACTERS_MAX)} characters`);
  }
  return row;
}

export function translatedRow(row: TransformedRow, { value, results, fallback }: TranslationView): TransformedRow {
  if (results.length > 0) {
    const detail = results.length === 1 ? '' : `${results.length} target values`;
    return { ...row, status: 'MAPPED', targets: results.map(({ targetValue }) => targetValue), detail };
  }
  if (fallback !== undefined) {
    const detail = fallback.yields === 'FIXED' ? 'Fixed value of the crosswalk' : 'The source value itself';
    return { ...row, status: 'FALLBACK', targets: [fallback.targetValue], detail };
  }
  return { ...row, status: 'UNMAPPED', detail: value === '' ? 'The value is empty' : 'No approved mapping' };
}

/** Describes a complete run: "Run complete: 6 rows, 2 failed". */
export const completeText = (rows: number, failed: number): string =>
  `Run complete: ${formatNumber(rows)} ${rows === 1 ? 'row' : 'rows'}${failed === 0 ? '' : `, ${formatNumber(failed)} failed`}`;

/**
 * Returns the reason for a failed request. The messages of `messageOf` describe requests of the user, but this request
 * is sent with the API key. The crosswalk exists: a 404 probably means that the key cannot read the crosswalk.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof ApiError) || error.status === 0) return messageOf(error);
  const reason = `${error.status}: ${error.serverMessage}`;
  return error.status === 404 ? `${reason}. The API key may have no access to this crosswalk` : reason;
}
