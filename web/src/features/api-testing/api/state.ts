/**
 * The state of the API testing page (specification §2), in the query cache. The cache is in the memory of the tab, and
 * is cleared when the user signs out or another user signs in.
 */
import { API_TESTING_PAGE_SIZE } from '@rdm/contracts/constants';
import { type QueryClient, queryOptions } from '@tanstack/react-query';
import type { TransformedRow } from '../components/rows.ts';

export interface CsvData {
  /** The name of the file, or a name for a long pasted text; undefined while the text is in the text field. */
  name?: string;
  text: string;
}

export interface ApiTest {
  apiKey: string;
  csvData: CsvData;
  headers: readonly string[];
  selectedCrosswalk: { id: number; name: string } | undefined;
  /** The index of the column whose values are translated; undefined while no column is selected. */
  translatedColumnIndex: number | undefined;
  /** Undefined until a run starts, and after the CSV, the column or the crosswalk has changed. */
  transformedData: readonly TransformedRow[] | undefined;
  isComplete: boolean;
  page: number;
  pageSize: number;
}

const EMPTY: ApiTest = {
  apiKey: '',
  csvData: { text: '' },
  headers: [],
  selectedCrosswalk: undefined,
  translatedColumnIndex: undefined,
  transformedData: undefined,
  isComplete: false,
  page: 1,
  pageSize: API_TESTING_PAGE_SIZE,
};

export const apiTestQuery = queryOptions({
  queryKey: ['api-testing'],
  enabled: false,
  initialData: EMPTY,
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: Number.POSITIVE_INFINITY,
  // Turned off, because comparing 100,000 rows with the previous rows would block the page.
  structuralSharing: false,
});

export const readApiTest = (queries: QueryClient): ApiTest => queries.getQueryData(apiTestQuery.queryKey) ?? EMPTY;

export const changeApiTest = (queries: QueryClient, change: Partial<ApiTest>): void =>
  void queries.setQueryData(apiTestQuery.queryKey, { ...readApiTest(queries), ...change });

export const clearApiTest = (queries: QueryClient): void => changeApiTest(queries, EMPTY);

/** Changes the CSV, the column or the crosswalk, and removes the rows of an earlier run, which used other input. */
export const changeInput = (
  queries: QueryClient,
  change: Partial<Pick<ApiTest, 'csvData' | 'headers' | 'translatedColumnIndex' | 'selectedCrosswalk'>>,
): void => changeApiTest(queries, { ...change, transformedData: undefined, isComplete: false, page: 1 });
