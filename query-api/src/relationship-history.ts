/** The history of a relationship value: every version, with what it changed. */
import type { HistoryQuery, RelationshipValueHistoryView } from '@rdm/contracts';
import type { ApiAnswer } from '@rdm/platform';
import { historyPage } from './history-page.ts';
import type { Asked, ReadModels } from './read-models.ts';
import { byName, keyOf, type Side, WORKING } from './relationship-sides.ts';
import type { RelationshipHeader } from './relationships.ts';
import { type Sql, sql } from './sql.ts';
import { differences, ENTRY, ENTRY_WINDOW, entryOf, everyVersion, REVIEWED, type Version } from './versions.ts';

type ValueVersion = Version<RelationshipValueHistoryView>;

/** Every version of a value, oldest first. */
const history = (readModels: ReadModels, asked: Asked, header: RelationshipHeader, id: number) =>
  readModels.read<ValueVersion>(asked, (tables) => {
    const columns = sql`${REVIEWED}, deleted, relationship_id, source_instance_id, target_instance_id, attributes, served`;
    const own = sql`relationship_id = ${header.id}::bigint AND id = ${id}::bigint`;
    const side = (dataSetId: number, working: Sql): Side => ({
      dataSetId: sql`${dataSetId}::bigint`,
      labelFieldId: sql`NULL`,
      working,
      served: working,
    });
    const source = side(header.sourceDataSetId, WORKING.source);
    const target = side(header.targetDataSetId, WORKING.target);
    return sql`SELECT ${ENTRY}, v.source_instance_id AS "sourceInstanceId",
        v.target_instance_id AS "targetInstanceId", ${keyOf(tables, source, source.working)} AS "sourceKey",
        ${keyOf(tables, target, target.working)} AS "targetKey", ${byName(sql`v.attributes`)} AS attributes
      FROM (${everyVersion(tables, 'relationship_values', columns, own)}) v
      JOIN ${tables.current('relationships')} r ON r.id = v.relationship_id ${ENTRY_WINDOW}`;
  });

/** A version with what differs from the one before; ends that moved are told by their keys. */
function historyEntry(version: ValueVersion, before: ValueVersion | undefined) {
  if (!before) return entryOf(version);
  const ends = {
    ...(before.sourceInstanceId === version.sourceInstanceId ? {} : { source: version.sourceKey }),
    ...(before.targetInstanceId === version.targetInstanceId ? {} : { target: version.targetKey }),
  };
  const { sourceKey: source, targetKey: target } = before;
  return entryOf(version, differences({ ...before.attributes, source, target }, { ...version.attributes, ...ends }));
}

export async function historyOf(
  readModels: ReadModels,
  asked: Asked & { query: HistoryQuery },
  header: RelationshipHeader,
  id: number,
): Promise<ApiAnswer> {
  return historyPage(await history(readModels, asked, header, id), asked.query, historyEntry);
}
