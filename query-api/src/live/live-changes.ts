/** Reads the changes that the projector stored, ordered by seq, with the data sets that govern them. */
import type { LiveChange } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { type GoverningDataSet, openGoverningDataSets } from '../access/governing-data-sets.ts';
import type { ReadModels } from '../read-models/read-models.ts';

export interface GovernedChange {
  change: LiveChange;
  dataSets: GoverningDataSet[];
}

export interface LiveChanges {
  /** Returns the changes after the seq `after` and up to `upTo`, oldest first, at most `limit`. */
  read(after: number, upTo: number | null, limit: number): Promise<GovernedChange[]>;
  /** Returns the last seq that the projector has stored. */
  head(): Promise<number>;
  /** Returns the seq of the oldest stored change; the reader's next seq if no change is stored. */
  oldest(): Promise<number>;
}

// Arrays are selected as JSON, because the driver returns the items of bigint arrays as texts.
const SELECT = `
  SELECT seq, position, type, entity, entity_id AS "entityId", to_json(ids) AS ids, count, to_json(revisions) AS revisions,
         changed_fields AS "changedFields", actor_id AS "actorId", command_id AS "commandId",
         to_json(data_set_ids) AS "dataSetIds"
    FROM platform.live_changes WHERE seq > $1 AND ($2::bigint IS NULL OR seq <= $2) ORDER BY seq LIMIT $3`;

export function openLiveChanges(pool: Pool, readModels: ReadModels): LiveChanges {
  const governing = openGoverningDataSets(readModels);
  return {
    async read(after, upTo, limit) {
      const { rows } = await pool.query({ name: 'live-changes', text: SELECT, values: [after, upTo, limit] });
      const stored = rows as (LiveChange & { dataSetIds: number[] })[];
      const dataSets = await governing(stored.map(({ dataSetIds }) => dataSetIds));
      return stored.map(({ dataSetIds: _, ...change }, index) => ({ change, dataSets: dataSets[index] ?? [] }));
    },
    async head() {
      const { rows } = await pool.query(
        'SELECT greatest((SELECT max(seq) FROM platform.live_changes), (SELECT seq FROM platform.reader)) AS seq',
      );
      return rows[0].seq as number;
    },
    async oldest() {
      const { rows } = await pool.query(
        'SELECT coalesce((SELECT min(seq) FROM platform.live_changes), (SELECT seq + 1 FROM platform.reader), 0) AS seq',
      );
      return rows[0].seq as number;
    },
  };
}
