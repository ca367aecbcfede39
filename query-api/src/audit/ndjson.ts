/** The NDJSON format of exports: one JSON object per line. */
import type { Format } from '../http/download.ts';

export const NDJSON: Format<object> = {
  contentType: 'application/x-ndjson; charset=utf-8',
  extension: 'ndjson',
  head: '',
  row: (row) => `${JSON.stringify(row)}\n`,
  tail: '',
};
