/** Converts an event to a live change: what changed, where and by whom, never the data itself. */
import { LIVE_IDS_MAX, type LiveEntity } from '@rdm/contracts';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import type { Revisions } from '../engine/projection.ts';
import type { ColumnType } from '../tables/rows.ts';

/** A row of platform.live_changes. */
export interface LiveRow {
  seq: number;
  position: string;
  type: string;
  entity: LiveEntity;
  entity_id: number;
  ids: number[] | null;
  count: number;
  revisions: number[] | null;
  changed_fields: string[] | null;
  actor_id: number | null;
  command_id: string;
  data_set_ids: number[];
}

export const liveColumns = {
  seq: 'bigint',
  position: 'text',
  type: 'text',
  entity: 'text',
  entity_id: 'bigint',
  ids: 'bigint[]',
  count: 'integer',
  revisions: 'bigint[]',
  changed_fields: 'text[]',
  actor_id: 'bigint',
  command_id: 'text',
  data_set_ids: 'bigint[]',
} as const satisfies Record<keyof LiveRow, ColumnType>;

const ENTITY_OF_CATEGORY: Record<string, LiveEntity> = {
  apiKey: 'api-key',
  bulkDecision: 'job',
  crosswalk: 'crosswalk',
  dataSet: 'data-set',
  importJob: 'job',
  instances: 'instance',
  mappings: 'mapping',
  missingMappings: 'missing-mapping',
  referenceType: 'reference-type',
  relationship: 'relationship',
  relationshipValues: 'relationship-value',
  user: 'user',
};

/** Data fields that contain the entity id in events of `access-main`. */
const ACCESS_IDS = [
  ['collectionId', 'collection'],
  ['groupId', 'group'],
  ['userId', 'user'],
  ['roleId', 'role'],
] as const;

type Data = Record<string, unknown>;

const isId = (value: unknown): value is number => Number.isSafeInteger(value);

function subjectOf(event: NumberedEvent, data: Data): { entity: LiveEntity; id: number } | undefined {
  if (event.category !== 'access') {
    const entity = ENTITY_OF_CATEGORY[event.category];
    return entity && { entity, id: event.entityId };
  }
  for (const [name, entity] of ACCESS_IDS) {
    const id = data[name];
    if (isId(id)) return { entity, id };
  }
  return undefined;
}

/** Returns the ids of the rows that an event names; undefined if the event is about the entity itself. */
function rowIdsOf(data: Data): number[] | undefined {
  if (Array.isArray(data['ids'])) return data['ids'].filter(isId);
  const rows = data['rows'] ?? data['requests'];
  if (!Array.isArray(rows)) return undefined;
  return rows.map((row) => (Array.isArray(row) ? row[0] : (row as { id?: unknown } | null)?.id)).filter(isId);
}

const NAMES_ITS_FIELDS = /(?:Details|Attributes|Rules|Field|Role|Group|Collection)Changed$/;

/**
 * Returns the ids of the changed fields for rows of a data set, and names of data fields for other entities; null if
 * the fields are unknown or the event changes more than LIVE_IDS_MAX rows.
 */
function changedFieldsOf(type: string, data: Data, count: number): string[] | null {
  if (count > LIVE_IDS_MAX) return null;
  if (type === 'InstancesChanged') {
    const rows = Array.isArray(data['rows']) ? (data['rows'] as ({ values?: object } | null)[]) : [];
    return [...new Set(rows.flatMap((row) => Object.keys(row?.values ?? {})))];
  }
  if (type === 'MappingsEdited') return ['targetValue', 'confidence'];
  if (type === 'RelationshipValuesEdited') return ['sourceInstanceId', 'targetInstanceId', 'attributes'];
  if (type === 'FieldRenamed') return ['name'];
  if (!NAMES_ITS_FIELDS.test(type)) return null;
  return Object.keys(data).filter((name) => name !== 'fieldId' && !ACCESS_IDS.some(([id]) => id === name));
}

/**
 * Returns the live change of an event; undefined if live changes do not report its entity, such as a saved filter.
 * Never throws, because an event from outside the product must not stop the reader.
 */
export function liveChange(event: NumberedEvent): Omit<LiveRow, 'revisions'> | undefined {
  const data = (event.data ?? {}) as Data;
  const subject = subjectOf(event, data);
  if (!subject || !isId(subject.id)) return undefined;
  const ids = rowIdsOf(data) ?? [subject.id];
  return {
    seq: event.seq,
    position: String(event.position),
    type: event.type,
    entity: subject.entity,
    entity_id: subject.id,
    ids: ids.length > LIVE_IDS_MAX ? null : ids,
    count: ids.length,
    changed_fields: changedFieldsOf(event.type, data, ids.length),
    actor_id: event.metadata.actorId ?? null,
    command_id: event.metadata.$causationId ?? '',
    data_set_ids: event.metadata.dataSetIds ?? [],
  };
}

/** Returns the live changes of a batch, with the new revisions from the projections' folds. */
export function liveRows(events: readonly NumberedEvent[], revisions: Revisions): LiveRow[] {
  return events.flatMap((event) => {
    const change = liveChange(event);
    return change ? [{ ...change, revisions: (change.ids && revisions.get(event.seq)) ?? null }] : [];
  });
}
