/** The interface of lists whose matching rows can be frozen into selections. */
import type { FreezeSelection } from '@rdm/contracts';
import type { ApiRequest } from '@rdm/platform';
import type { ReadRequest, Tables } from '../read-models/read-models.ts';
import type { Sql } from '../read-models/sql.ts';

export type Freeze = FreezeSelection;

/** A list whose matching rows can be frozen. */
export interface Freezable {
  /**
   * Returns the query for the matching rows: columns id, revision and, for lists of several parents, kind and parent_id. Refuses
   * a list that the caller may not read.
   */
  query(request: ApiRequest<Freeze>, readRequest: ReadRequest): Promise<(tables: Tables) => Sql>;
}
