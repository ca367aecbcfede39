/** Review steps of mappings and relationship values in the sample data: drafts, submissions and decisions. */
import type { ApiClient } from './api-client.ts';

export interface RowRevision {
  id: number;
  revision: number;
}

const doneRows = ({ results }: Record<string, unknown>): RowRevision[] =>
  (results as (RowRevision & { outcome: string })[])
    .filter((row) => row.outcome === 'done')
    .map(({ id, revision }) => ({ id, revision }));

/** Drafts rows. `path` is the API path of mappings or relationship values. Returns the rows that were created. */
export const draftRows = async (
  steward: ApiClient,
  path: string,
  key: string,
  rows: object[],
): Promise<RowRevision[]> => doneRows(await steward.write('POST', path, key, { rows }));

/** Applies a review step. Returns the changed rows with their new revisions. */
export const review = async (
  person: ApiClient,
  path: string,
  verb: 'submit' | 'approve' | 'reject',
  key: string,
  rows: readonly RowRevision[],
  comment?: string,
): Promise<RowRevision[]> =>
  doneRows(await person.write('POST', `${path}/${verb}`, key, { rows, ...(comment === undefined ? {} : { comment }) }));
