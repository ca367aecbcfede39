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

/** Drafts rows; `path` is the path of the mappings of a crosswalk or of the values of a relationship. */
export const draftRows = async (
  steward: ApiClient,
  path: string,
  key: string,
  rows: object[],
): Promise<RowRevision[]> => doneRows(await steward.write('POST', path, key, { rows }));

/** Applies a review step, and returns the rows with their new revisions. */
export const review = async (
  person: ApiClient,
  path: string,
  verb: 'submit' | 'approve' | 'reject',
  key: string,
  rows: readonly RowRevision[],
  comment?: string,
): Promise<RowRevision[]> =>
  doneRows(await person.write('POST', `${path}/${verb}`, key, { rows, ...(comment === undefined ? {} : { comment }) }));
