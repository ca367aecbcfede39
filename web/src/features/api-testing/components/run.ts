/** Parses a CSV and translates its values in batches. A run continues after the user has left the page. */
import { TRANSLATE_VALUES_MAX } from '@rdm/contracts/constants';
import type { QueryClient } from '@tanstack/react-query';
import { changeApiTest, readApiTest } from '../api/state.ts';
import { translateWithKey } from '../api/translate.ts';
import { parseRows } from './csv.ts';
import { failedRow, reasonOf, type TransformedRow, toRow, translatedRow } from './rows.ts';

export interface RunInputs {
  crosswalkId: number;
  /** Index of the column whose values are translated. */
  column: number;
  /** Whether unmapped values become missing mappings. */
  isRecording: boolean;
}

/**
 * Parses the CSV and starts the run. Returns the problem of an invalid CSV. Does nothing if the user changes the CSV
 * meanwhile.
 */
export async function startTest(queries: QueryClient, inputs: RunInputs): Promise<string | undefined> {
  const { csvData, headers } = readApiTest(queries);
  const parsed = await parseRows(csvData.text);
  if (readApiTest(queries).csvData !== csvData) return undefined;
  if ('problem' in parsed) return parsed.problem;
  const rows = parsed.rows.map((cells, index) => toRow(cells, index, headers.length, inputs.column));
  changeApiTest(queries, { transformedData: rows, isComplete: false, page: 1 });
  void translateRows(queries, rows, inputs);
  return undefined;
}

async function translateRows(
  queries: QueryClient,
  initialRows: readonly TransformedRow[],
  inputs: RunInputs,
): Promise<void> {
  const apiKey = readApiTest(queries).apiKey.trim();
  const waitingRows = initialRows.filter(({ status }) => status === 'WAITING');
  let rows = initialRows;
  for (let from = 0; from < waitingRows.length; from += TRANSLATE_VALUES_MAX) {
    const batch = await translateBatch(apiKey, waitingRows.slice(from, from + TRANSLATE_VALUES_MAX), inputs);
    // The user has stopped the run, cleared the page or signed out in the meantime.
    if (readApiTest(queries).transformedData !== rows) return;
    const next = [...rows];
    for (const row of batch) next[row.number - 1] = row;
    rows = next;
    changeApiTest(queries, { transformedData: rows });
  }
  changeApiTest(queries, { isComplete: true });
}

async function translateBatch(
  apiKey: string,
  batch: readonly TransformedRow[],
  { crosswalkId, column, isRecording }: RunInputs,
): Promise<TransformedRow[]> {
  const values = batch.map(({ cells }) => cells[column] ?? '');
  try {
    const translations = await translateWithKey(apiKey, crosswalkId, values, isRecording);
    return batch.map((row, index) => {
      const translation = translations[index];
      return translation === undefined
        ? failedRow(row, 'The response of the server has no result for this value')
        : translatedRow(row, translation);
    });
  } catch (error) {
    return batch.map((row) => failedRow(row, reasonOf(error)));
  }
}

/** Ends the run: rows without a response fail. */
export function stopTest(queries: QueryClient): void {
  const rows = readApiTest(queries).transformedData?.map((row) =>
    row.status === 'WAITING' ? failedRow(row, 'The run was stopped before this row was translated') : row,
  );
  changeApiTest(queries, { transformedData: rows, isComplete: true });
}
