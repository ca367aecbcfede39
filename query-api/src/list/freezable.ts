/** Lists whose matching rows can be frozen into selections. */
import type { FreezeSelection } from '@rdm/contracts';
import type { ApiRequest } from '@rdm/platform';
import type { ReadRequest, Tables } from '../read-models/read-models.ts';
import type { Sql } from '../read-models/sql.ts';

export type Freeze = FreezeSelection;

/** A list whose matching rows can be frozen. */
export interface Freezable {
  /** Refuses what the caller may not read; returns the query with columns id, revision and, across parents, kind and parent_id. */
  query(request: ApiRequest<Freeze>, readRequest: ReadRequest): Promise<(tables: Tables) => Sql>;
}
