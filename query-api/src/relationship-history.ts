/** The history of a relationship value: every version, with what it changed. */
import type { CellValue, RelationshipValueHistoryView } from '@rdm/contracts';
import type { ApiAnswer } from '@rdm/platform';
import { type Asked, answer, type ReadModels } from './read-models.ts';
import { byName, keyOf, type Side, WORKING } from './relationship-sides.ts';
import type { RelationshipHeader } from './relationships.ts';
import { type Sql, sql } from './sql.ts';

type Version = Omit<RelationshipValueHistoryView, 'changes'>;

/** Every version of a value, oldest first. */
const history = (readModels: ReadModels, asked: Asked, header: RelationshipHeader, id: number) =>
  readModels.read<Version>(asked, (tables) => {
    const columns = sql`relationship_id, valid_from, revision, last_event, source_instance_id, target_instance_id,
      attributes, served, approval_status, updated_at, updated_by, comment`;
    const until = tables.asOf === undefined ? sql`` : sql` AND valid_from <= ${tables.asOf}::bigint`;
    const own = sql`relationship_id = ${header.id}::bigint AND id = ${id}::bigint${until}`;
    const side = (dataSetId: number, working: Sql): Side => ({
      dataSetId: sql`${dataSetId}::bigint`,
      labelFieldId: sql`NULL`,
      working,
      served: working,
    });
    const source = side(header.sourceDataSetId, WORKING.source);
    const target = side(header.targetDataSetId, WORKING.target);
    return sql`SELECT v.valid_from AS seq, v.revision, v.last_event AS type, v.updated_at AS timestamp,
        lag(v.approval_status) OVER (ORDER BY v.valid_from) AS "prevStatus", v.approval_status AS "newStatus",
        v.updated_by AS "userId", v.comment, v.source_instance_id AS "sourceInstanceId",
        v.target_instance_id AS "targetInstanceId", ${keyOf(tables, source, source.working)} AS "sourceKey",
        ${keyOf(tables, target, target.working)} AS "targetKey", ${byName(sql`v.attributes`)} AS attributes
      FROM (SELECT ${columns} FROM ${tables.current('relationship_values_history')} WHERE ${own}
        UNION ALL SELECT ${columns} FROM ${tables.current('relationship_values')} WHERE ${own}) v
      JOIN ${tables.current('relationships')} r ON r.id = v.relationship_id ORDER BY v.valid_from`;
  });

/** A version with what differs from the one before. */
function historyEntry({ comment, ...entry }: Version, before: Version | undefined): RelationshipValueHistoryView {
  const changes: Record<string, { from: CellValue; to: CellValue }> = {};
  const compare = (name: string, from: CellValue, to: CellValue) => {
    if (from !== to) changes[name] = { from, to };
  };
  if (before) {
    if (before.sourceInstanceId !== entry.sourceInstanceId) compare('source', before.sourceKey, entry.sourceKey);
    if (before.targetInstanceId !== entry.targetInstanceId) compare('target', before.targetKey, entry.targetKey);
    for (const [name, to] of Object.entries(entry.attributes)) compare(name, before.attributes[name] ?? null, to);
  }
  return {
    ...entry,
    ...(comment ? { comment } : {}),
    ...(Object.keys(changes).length > 0 ? { changes } : {}),
  };
}

/** Answers 404 for a value that never was. */
export async function historyOf(
  readModels: ReadModels,
  asked: Asked,
  header: RelationshipHeader,
  id: number,
): Promise<ApiAnswer> {
  const found = await history(readModels, asked, header, id);
  found.one();
  return answer(
    found,
    found.rows.map((version, index) => historyEntry(version, found.rows[index - 1])),
  );
}
