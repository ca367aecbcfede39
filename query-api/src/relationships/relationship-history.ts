/** Returns the history of a relationship value: every version with its changes. */
import {
  changeTypeOf,
  type HistoryQuery,
  type RelationshipEndView,
  type RelationshipValueHistoryView,
  type VersionView,
} from '@rdm/contracts';
import type { ApiAnswer } from '@rdm/platform';
import { ACTING_KEY_COLUMNS, joinActingKey } from '../access/acting-key.ts';
import { usernameOf } from '../access/user-names.ts';
import type { Viewer } from '../access/viewer.ts';
import type { ReadModels, ReadRequest } from '../read-models/read-models.ts';
import { type Sql, sql } from '../read-models/sql.ts';
import { toHistoryPage } from '../review/history-page.ts';
import { attributesByName, keyOf, type Side, WORKING } from '../review/relationship-sides.ts';
import {
  allVersions,
  differences,
  ENTRY_COLUMNS,
  ENTRY_WINDOW,
  entryOf,
  REVIEW_COLUMNS,
  VERSION_METADATA,
  type Version,
} from '../review/versions.ts';
import type { RelationshipRecord } from './relationships.ts';

type ValueVersion = Version<
  VersionView &
    Pick<
      RelationshipValueHistoryView,
      | keyof RelationshipEndView
      | 'relationshipValueId'
      | 'relationshipId'
      | 'attributes'
      | 'username'
      | 'userDisplayName'
      | 'ipAddress'
      | 'userAgent'
      | 'correlationId'
      | 'metadata'
    >
>;

/** Only administrators may see the origin of a request. */
const adminsOnly = (viewer: Viewer, column: Sql): Sql => (viewer.isAdmin ? column : sql`NULL::text`);

/** Reads all versions of a value, oldest first. */
const readHistory = (
  readModels: ReadModels,
  readRequest: ReadRequest,
  viewer: Viewer,
  relationship: RelationshipRecord,
  id: number,
) =>
  readModels.read<ValueVersion>(readRequest, (tables) => {
    const columns = sql`${REVIEW_COLUMNS}, id, deleted, relationship_id, source_instance_id, target_instance_id, attributes, served`;
    const isOfValue = sql`relationship_id = ${relationship.id}::bigint AND id = ${id}::bigint`;
    const side = (dataSetId: number, working: Sql): Side => ({
      dataSetId: sql`${dataSetId}::bigint`,
      labelFieldId: sql`NULL`,
      working,
      served: working,
    });
    const source = side(relationship.sourceDataSetId, WORKING.source);
    const target = side(relationship.targetDataSetId, WORKING.target);
    return sql`SELECT ${ENTRY_COLUMNS}, v.source_instance_id AS "sourceInstanceId",
        v.target_instance_id AS "targetInstanceId", ${keyOf(tables, source, source.working)} AS "sourceKey",
        ${keyOf(tables, target, target.working)} AS "targetKey", ${attributesByName(sql`v.attributes`)} AS attributes,
        v.id AS "relationshipValueId", v.relationship_id AS "relationshipId", ${usernameOf(sql`u`, sql`v.updated_by`)} AS username,
        u.display_name AS "userDisplayName", ${adminsOnly(viewer, sql`c.ip_address`)} AS "ipAddress",
        ${adminsOnly(viewer, sql`c.user_agent`)} AS "userAgent", acting.correlation_id AS "correlationId", ${VERSION_METADATA} AS metadata, ${ACTING_KEY_COLUMNS}
      FROM (${allVersions(tables, 'relationship_values', columns, isOfValue)}) v
      JOIN ${tables.currentWithDeleted('relationships')} r ON r.id = v.relationship_id
      ${joinActingKey(tables, sql`v.valid_from`)}
      LEFT JOIN identity.users u ON u.id = v.updated_by
      LEFT JOIN identity.request_contexts c ON c.request_id = acting.request_id ${ENTRY_WINDOW}`;
  });

/** Returns the differences from the previous version. A changed source or target row is given by its key. */
function changesOf(version: ValueVersion, before: ValueVersion | undefined) {
  if (!before) return {};
  const ends = {
    ...(before.sourceInstanceId === version.sourceInstanceId ? {} : { source: version.sourceKey }),
    ...(before.targetInstanceId === version.targetInstanceId ? {} : { target: version.targetKey }),
  };
  const { sourceKey: source, targetKey: target } = before;
  return differences({ ...before.attributes, source, target }, { ...version.attributes, ...ends });
}

function historyEntry(version: ValueVersion, before: ValueVersion | undefined): RelationshipValueHistoryView {
  const fieldChanges = changesOf(version, before);
  return {
    ...entryOf(version, fieldChanges),
    id: version.seq,
    actionType: changeTypeOf(version.type),
    statusChange: { from: version.prevStatus, to: version.newStatus },
    fieldChanges,
    comment: version.comment,
    // An entry of a history never changes: both dates are the same.
    createdAt: version.timestamp,
    updatedAt: version.timestamp,
  };
}

export async function historyOf(
  readModels: ReadModels,
  readRequest: ReadRequest & { query: HistoryQuery },
  viewer: Viewer,
  relationship: RelationshipRecord,
  id: number,
): Promise<ApiAnswer> {
  return toHistoryPage(
    await readHistory(readModels, readRequest, viewer, relationship, id),
    readRequest.query,
    historyEntry,
  );
}
