/** Rows under review in the sample data, mappings or values: drafted by one person, led on by another. */
import type { ApiPerson } from './api-client.ts';

export interface Drafted {
  id: number;
  revision: number;
}

const done = ({ results }: Record<string, unknown>): Drafted[] =>
  (results as (Drafted & { outcome: string })[])
    .filter((row) => row.outcome === 'done')
    .map(({ id, revision }) => ({ id, revision }));

/** `path` is that of the rows: the mappings of a crosswalk, or the values of a relationship. */
export const draftRows = async (steward: ApiPerson, path: string, key: string, rows: object[]): Promise<Drafted[]> =>
  done(await steward.write('POST', path, key, { rows }));

/** What a verb leaves behind: each row's next revision. */
export const review = async (
  person: ApiPerson,
  path: string,
  verb: 'submit' | 'approve' | 'reject',
  key: string,
  rows: readonly Drafted[],
  comment?: string,
): Promise<Drafted[]> =>
  done(await person.write('POST', `${path}/${verb}`, key, { rows, ...(comment === undefined ? {} : { comment }) }));
