/** The interface of lists whose matching rows can be frozen into selections. */
import type { FreezeSelection } from '@rdm/contracts';
import type { ApiRequest } from '@rdm/platform';
import type { ReadRequest, Tables } from '../read-models/read-models.ts';
import type { Sql } from '../read-models/sql.ts';

export type Freeze = FreezeSelection;

export interface Freezable {
  /**
   * Returns the query for the matching rows, with the columns `id` and `revision`. Lists of several parents also have
   * `kind` and `parent_id`. Throws a Refusal if the caller may not read the list.
   */
  query(request: ApiRequest<Freeze>, readRequest: ReadRequest): Promise<(tables: Tables) => Sql>;
}
