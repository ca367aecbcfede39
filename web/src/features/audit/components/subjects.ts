/**
 * Links from audit entries and activities to replays and to pages of the past, and the words for entities, actions and
 * streams.
 */
import type { AuditActivity } from '@rdm/contracts/audit/activities';
import { actionOf } from '@rdm/contracts/audit/activity-actions';
import type { AuditLogView } from '@rdm/contracts/audit/audit-log-view';
import { propertyWords } from '@rdm/contracts/audit/named-values';
import { ENTITY_NOUNS } from '@rdm/contracts/audit/sentence-words';
import { ACCESS_STREAM, parseStream } from '@rdm/contracts/events/streams';
import { searchAt, urlOf } from '../../../lib/api/index.ts';
import { capitalized } from '../../../lib/capitalized.ts';

/** The kind in the address of a replay, by the entity type of the audit log. */
const KINDS: Readonly<Record<string, string>> = {
  referenceType: 'reference-type',
  dataSet: 'data-set',
  relationship: 'relationship',
  crosswalk: 'crosswalk',
  missingMappings: 'missing-mappings',
  importJob: 'job',
  bulkDecision: 'bulk-decision',
  apiKey: 'api-key',
  collection: 'collection',
  role: 'role',
  group: 'group',
  user: 'user',
};
/** The kind in the address of the replay of a row, and the noun of the row, by the entity type of the audit log. */
const ROW_KINDS: Readonly<Record<string, { kind: string; label: string }>> = {
  instances: { kind: 'instance', label: 'Row' },
  mappings: { kind: 'mapping', label: 'Mapping' },
  relationshipValues: { kind: 'relationship-value', label: 'Value' },
};

type Entry = Pick<AuditLogView, 'entityType' | 'entityId' | 'recordIds' | 'stream'>;

export interface Replayable {
  label: string;
  to: string;
}

const replayOf = (query: { entity?: string; stream?: string }): string => urlOf('/audit-logs/replay', query);

/** The replays of an entry. An entry with many rows has replays only of the first rows, and a purged event has none. */
export function replayables(entry: Entry, limit = 20): Replayable[] {
  const { entityType, entityId, recordIds, stream } = entry;
  if (stream === null) return [];
  const rowKind = ROW_KINDS[entityType];
  if (rowKind !== undefined && entityId !== null && recordIds !== null && recordIds.length > 0) {
    return recordIds.slice(0, limit).map((id) => ({
      label: `${rowKind.label} ${id}`,
      to: replayOf({ entity: `${rowKind.kind}:${entityId}:${id}` }),
    }));
  }
  const kind = KINDS[entityType];
  // The replay of a user reads the access stream, so an entry of a stream `user-…` links to the replay of that stream.
  if (kind !== undefined && entityId !== null && !stream.startsWith('user-')) {
    return [{ label: `${wordOf(entityType)} ${entityId}`, to: replayOf({ entity: `${kind}:${entityId}` }) }];
  }
  return [{ label: capitalized(streamWords(stream, () => undefined)), to: replayOf({ stream }) }];
}

/**
 * The replay of the row or entity of an activity; undefined if there are several, or if the entity has no replay. Users
 * have two streams, and an activity does not contain the stream of its events, so users have no replay here.
 */
export function activityReplay({ facts, row }: Pick<AuditActivity, 'facts' | 'row'>): string | undefined {
  const causes = facts.filter(({ action }) => actionOf(action).isConsequence !== true);
  const [first] = causes;
  if (first === undefined || first.entityType === 'user') return undefined;
  const { entityType, entityId } = first;
  const isSame = (fact: (typeof causes)[number]) => fact.entityType === entityType && fact.entityId === entityId;
  if (!causes.every((fact) => isSame(fact) && fact.rows > 0 === (row !== null))) return undefined;
  const rowKind = row === null ? undefined : ROW_KINDS[entityType]?.kind;
  const kind = rowKind ?? KINDS[entityType];
  if (kind === undefined || entityId === null) return undefined;
  return replayOf({ entity: `${kind}:${entityId}${rowKind === undefined ? '' : `:${row?.id}`}` });
}

/** Pages that can show the past, by entity type. */
const PAGES: Readonly<Record<string, (id: number) => string>> = {
  referenceType: () => '/reference-types',
  dataSet: (id) => `/reference-data/${id}`,
  instances: (id) => `/reference-data/${id}`,
  crosswalk: (id) => `/crosswalks/${id}/mappings`,
  mappings: (id) => `/crosswalks/${id}/mappings`,
  relationship: (id) => `/relationships/${id}/values`,
  relationshipValues: (id) => `/relationships/${id}/values`,
  collection: (id) => `/collections/${id}`,
};

/** The page of the entity, as of the entry; undefined if the page cannot show the past. */
export function pastPageOf({ entityType, entityId, seq }: Pick<AuditLogView, 'entityType' | 'entityId' | 'seq'>) {
  const page = PAGES[entityType];
  return page === undefined || entityId === null ? undefined : page(entityId) + searchAt('', `seq:${seq}`);
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  referenceType: 'Type',
  dataSet: 'Data set',
  instances: 'Rows of',
  crosswalk: 'Crosswalk',
  mappings: 'Mappings of',
  missingMappings: 'Missing mappings of',
  relationship: 'Relationship',
  relationshipValues: 'Values of',
  collection: 'Collection',
  importJob: 'Import job',
  bulkDecision: 'Job',
  apiKey: 'API key',
  role: 'Role',
  group: 'Group',
  user: 'User',
  names: 'Names',
  system: 'System',
};

export const wordOf = (entityType: string): string => TYPE_WORDS[entityType] ?? entityType;

/**
 * Converts the type of an event to words: `MappingsApproved` becomes “Mappings approved”. `BulkDecision` becomes “Job”,
 * because imports of mappings and undos are recorded as bulk decisions too.
 */
export const actionWords = (action: string): string =>
  action
    .replace('BulkDecision', 'Job')
    .replace(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b.toLowerCase()}`)
    .replace(/^Api /, 'API ');

const SUBJECT_WORDS: Readonly<Record<string, string>> = {
  'reference-type': 'reference type',
  'data-set': 'data set',
  'missing-mappings': 'missing mappings of crosswalk',
  job: 'import job',
  'bulk-decision': 'job',
  'api-key': 'API key',
};

/** The words for a row and for its parent, and the entity type of its events. */
const ROW_WORDS: Readonly<Record<string, readonly [row: string, parent: string, type: string]>> = {
  instance: ['row', 'data set', 'instances'],
  mapping: ['mapping', 'crosswalk', 'mappings'],
  'relationship-value': ['value', 'relationship', 'relationshipValues'],
};

const withName = (word: string, name: string | undefined, id: string): string =>
  `${word} ${name === undefined ? id : `“${name}”`}`;

/**
 * `mapping:2:30391` becomes `mapping “DE → DEU” of crosswalk “Countries”`, or `mapping 30391 of crosswalk 2` without
 * names. `nameOf` returns the name of a reference such as `mappings:2`.
 */
export function subjectWords(
  entity: string,
  nameOf: (reference: string) => string | undefined,
  rowName?: string,
): string {
  const [kind = '', id = '', row = ''] = entity.split(':');
  const rowWords = ROW_WORDS[kind];
  if (rowWords !== undefined) {
    const [rowWord, parent, type] = rowWords;
    return `${withName(rowWord, rowName, row)} of ${withName(parent, nameOf(`${type}:${id}`), id)}`;
  }
  const type = Object.keys(KINDS).find((each) => KINDS[each] === kind) ?? kind;
  return withName(SUBJECT_WORDS[kind] ?? kind, nameOf(`${type}:${id}`), id);
}

/** `mappings-2.7` becomes `mappings of crosswalk “Countries”`; `names-types` becomes `names of types`. */
export function streamWords(stream: string, nameOf: (reference: string) => string | undefined): string {
  if (stream === ACCESS_STREAM) return 'users, groups, roles and collections';
  const { category, id } = parseStream(stream);
  const rows = Object.values(ROW_WORDS).find(([, , type]) => type === category);
  if (rows !== undefined) return `${rows[0]}s of ${withName(rows[1], nameOf(`${category}:${id}`), String(id))}`;
  const kind = KINDS[category];
  if (kind !== undefined) return subjectWords(`${kind}:${id}`, nameOf);
  if (!Number.isNaN(id)) return withName(ENTITY_NOUNS[category] ?? category, nameOf(`${category}:${id}`), String(id));
  const words = propertyWords(stream.slice(stream.indexOf('-') + 1));
  return category === 'names' ? `names of ${words}` : words;
}

/**
 * Whether a stream has events of several entities or rows. Consecutive states in the replay of such a stream cannot be
 * compared.
 */
export const hasManyEntities = (stream: string): boolean =>
  stream === ACCESS_STREAM || parseStream(stream).bucket !== undefined;

/** The id of the replayed user; undefined for other subjects. */
export const replayedUser = ({ entity, stream }: { entity: string | undefined; stream: string | undefined }) => {
  const [, id] = /^user[:-](\d+)$/.exec(entity ?? stream ?? '') ?? [];
  return id === undefined ? undefined : Number(id);
};
