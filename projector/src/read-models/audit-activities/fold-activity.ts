/** Folds the events of one command, job or run of a purge into its activity. */
import {
  ACTIVITY_FACTS_MAX,
  type ActivityFact,
  type ActivityJob,
  actionOf,
  auditEntry,
  auditedEntity,
  type BulkDecisionEvent,
  type ImportJobEvent,
  type ProductEvent,
  PURGE_RUN,
  recordIds,
  subjectTypeOf,
} from '@rdm/contracts';
import { writtenRows } from '@rdm/platform';
import type { NumberedEvent } from '../../engine/numbered-event.ts';
import type { FoldedRow, Row } from '../../tables/folded-table.ts';

type StoredFact = Omit<ActivityFact, 'entityName'>;

/** The only row that an activity touched, and the first and last event that touched it. */
interface OnlyRow {
  entityType: string;
  entityId: number;
  id: number;
  firstSeq: number;
  lastSeq: number;
}

export interface ActivityTableRow extends Row {
  /** The id of the command that caused the events, requested the job, or was the first step of the purge. */
  key: string;
  /** Seq of the first event. */
  id: number;
  last_seq: number;
  events: number;
  at: string;
  ended_at: string;
  actor_id: number | null;
  api_key_id: number | null;
  source_type: string;
  correlation_id: string;
  job_id: number | null;
  job: ActivityJob | null;
  /** The purge, if the activity is the run of a purge. */
  purge_id: number | null;
  verb: string;
  subject_type: string;
  subject_id: number | null;
  /** The entities and data sets of the events, as `crosswalk:3`, for searches by name. */
  subjects: string[];
  user_ids: number[];
  group_ids: number[];
  role_ids: number[];
  data_set_ids: number[];
  rows: number;
  created: number;
  changed: number;
  removed: number;
  decided: number;
  only_row: OnlyRow | null;
  status_before: string | null;
  status_after: string | null;
  comment: string | null;
  facts: StoredFact[];
  /** The command that the activity undid. */
  undoes: string | null;
}

/** Returns the data of an event; empty if the event cannot be decoded. */
export const dataOf = (event: NumberedEvent): Record<string, unknown> =>
  event.undecodable === undefined ? (event.data as Record<string, unknown>) : {};

export function foldActivity(
  row: ActivityTableRow | undefined,
  event: NumberedEvent,
  key: string,
): FoldedRow<ActivityTableRow> {
  // An event that is already counted changes nothing.
  if (row && event.seq <= row.last_seq) return { ...row };
  const activity = row ?? newActivity(event, key);
  const data = dataOf(event);
  const productEvent = { ...event, data } as unknown as ProductEvent;
  const entity = auditedEntity(event.stream, productEvent);
  const ids = writtenRows(data)?.ids ?? recordIds(data) ?? [];
  const { effect } = actionOf(event.type);
  const counts = {
    created: activity.created,
    changed: activity.changed,
    removed: activity.removed,
    decided: activity.decided,
  };
  if (effect) counts[effect] += ids.length;
  // The status comes only from decisions and from events without rows, because the audit entry of an import is large.
  const entry = ids.length > 0 && effect !== 'decided' ? undefined : auditEntry(event.stream, productEvent);
  const facts = withFact(activity.facts, {
    action: event.type,
    ...entity,
    rows: effect ? ids.length : 0,
    data: effect ? {} : { ...namedIn(data, entity.entityType), ...otherChanges(event.type, data) },
  });
  const job = jobAfter(activity.job, event);
  const people = peopleIn(data, entity);
  const text = (name: string) => (typeof data[name] === 'string' && data[name] !== '' ? (data[name] as string) : null);
  const undoes = activity.undoes ?? text('undoes');
  return {
    ...activity,
    last_seq: event.seq,
    events: activity.events + 1,
    ended_at: event.metadata.occurredAt,
    // The steps of a purge have no user, but the event that ends it has one.
    actor_id: activity.purge_id === null ? activity.actor_id : (activity.actor_id ?? event.metadata.actorId),
    job_id: activity.job_id ?? job?.id ?? null,
    job,
    ...headOf(facts, job, undoes),
    subjects: unionOf(activity.subjects, subjectsOf(event, entity)),
    user_ids: unionOf(activity.user_ids, people.users),
    group_ids: unionOf(activity.group_ids, people.groups),
    role_ids: unionOf(activity.role_ids, typeof data['roleId'] === 'number' ? [data['roleId']] : []),
    data_set_ids: unionOf(activity.data_set_ids, [...event.metadata.dataSetIds, ...numbersIn(data['dataSetIds'])]),
    ...counts,
    rows: Math.max(counts.created + counts.changed + counts.removed, counts.decided),
    only_row: onlyRowAfter(activity, event, entity, ids),
    status_before: activity.status_before ?? entry?.statusBefore ?? null,
    status_after: entry?.statusAfter ?? activity.status_after,
    comment: text('comment') ?? activity.comment,
    facts,
    undoes,
  };
}

function newActivity(event: NumberedEvent, key: string): Omit<ActivityTableRow, 'valid_from'> {
  const { actorId, apiKeyId, sourceType, occurredAt, $correlationId } = event.metadata;
  return {
    key,
    id: event.seq,
    last_seq: 0,
    events: 0,
    at: occurredAt,
    ended_at: occurredAt,
    actor_id: actorId,
    api_key_id: apiKeyId ?? null,
    source_type: sourceType,
    correlation_id: $correlationId,
    job_id: null,
    job: null,
    purge_id: PURGE_RUN.has(event.type) ? purgeOf(event) : null,
    verb: '',
    subject_type: '',
    subject_id: null,
    subjects: [],
    user_ids: [],
    group_ids: [],
    role_ids: [],
    data_set_ids: [],
    rows: 0,
    created: 0,
    changed: 0,
    removed: 0,
    decided: 0,
    only_row: null,
    status_before: null,
    status_after: null,
    comment: null,
    facts: [],
    undoes: null,
  };
}

/** Maximum length of the subjects and of each list of ids in an activity. */
const NAMED_MAX = 100;

const unionOf = <T>(existing: readonly T[], added: readonly T[]): T[] =>
  [...new Set([...existing, ...added])].slice(0, NAMED_MAX);
const numbersIn = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((each): each is number => typeof each === 'number') : [];

/** Adds a fact, or adds its number of rows to the same fact. Above the maximum, keeps causes before consequences. */
function withFact(facts: readonly StoredFact[], fact: StoredFact): StoredFact[] {
  const sameIndex = facts.findIndex(
    (each) =>
      each.action === fact.action &&
      each.entityType === fact.entityType &&
      each.entityId === fact.entityId &&
      (fact.rows > 0 || JSON.stringify(each.data) === JSON.stringify(fact.data)),
  );
  if (sameIndex >= 0) {
    return facts.map((each, index) => (index === sameIndex ? { ...each, rows: each.rows + fact.rows } : each));
  }
  const isCause = ({ action }: StoredFact) => actionOf(action).isConsequence !== true;
  const all = [...facts, fact];
  if (all.length <= ACTIVITY_FACTS_MAX) return all;
  return [...all.filter(isCause), ...all.filter((each) => !isCause(each))].slice(0, ACTIVITY_FACTS_MAX);
}

/** The data fields of an event that the sentence of its activity may need. */
const NAMED_FIELDS = [
  'name',
  'fieldName',
  'granted',
  'revoked',
  'added',
  'removed',
  'roleId',
  'minutes',
  'provider',
  'keyId',
  'dataSetIds',
  'problem',
  'fileName',
  'result',
];

/** Further fields for the sentences about legal holds and purges, because holds and purges have no name. */
const NAMED_FIELDS_BY_ENTITY: Readonly<Record<string, readonly string[]>> = {
  legalHold: ['scope', 'matter'],
  purge: ['kind', 'counts', 'reason', 'confirmedBy'],
};

function namedIn(data: Record<string, unknown>, entityType: string): Record<string, unknown> {
  const fields = data['fields'];
  const isListOfNames = Array.isArray(fields) && fields.every((field) => typeof field === 'string');
  return Object.fromEntries(
    [...NAMED_FIELDS, ...(NAMED_FIELDS_BY_ENTITY[entityType] ?? []), ...(isListOfNames ? ['fields'] : [])].flatMap(
      (name) => {
        const value = data[name];
        return value === undefined ? [] : [[name, Array.isArray(value) ? value.slice(0, ACTIVITY_FACTS_MAX) : value]];
      },
    ),
  );
}

const OWN_IDS = ['id', 'roleId', 'groupId', 'collectionId'];

/** Returns the names of properties that an event changes in addition to the entity's name. */
function otherChanges(type: string, data: Record<string, unknown>): { others?: string[] } {
  if (!type.endsWith('Changed') || !('name' in data)) return {};
  const others = Object.keys(data).filter((name) => name !== 'name' && !OWN_IDS.includes(name));
  return others.length > 0 ? { others } : {};
}

/**
 * Returns the verb and the subject of the activity: those of its first cause or, without causes, of its first
 * consequence. Undos and imports have verbs of their own.
 */
function headOf(
  facts: readonly StoredFact[],
  job: ActivityJob | null,
  undoes: string | null,
): Pick<ActivityTableRow, 'verb' | 'subject_type' | 'subject_id'> {
  const first = facts.find(({ action }) => actionOf(action).isConsequence !== true) ?? facts[0];
  const { action = '', entityType = '', entityId = null } = first ?? {};
  const verb = undoes !== null ? 'undid' : job?.type.endsWith('_IMPORT') ? 'imported' : actionOf(action).verb;
  return { verb, subject_type: subjectTypeOf(entityType), subject_id: entityId };
}

function subjectsOf(
  event: NumberedEvent,
  { entityType, entityId }: Pick<StoredFact, 'entityType' | 'entityId'>,
): string[] {
  const data = dataOf(event);
  const dataSets = [data['dataSetId'], ...numbersIn(data['dataSetIds'])].filter((id) => typeof id === 'number');
  const own = entityId === null ? [] : [`${subjectTypeOf(entityType)}:${entityId}`];
  return [...own, ...dataSets.map((id) => `dataSet:${id}`)];
}

interface Grantee {
  entityType: string;
  entityId: number;
}

/** Returns the users and groups that an event names. */
function peopleIn(
  data: Record<string, unknown>,
  { entityType, entityId }: Pick<StoredFact, 'entityType' | 'entityId'>,
): { users: number[]; groups: number[] } {
  const grantees = [data['granted'], data['revoked']].flatMap((list) =>
    Array.isArray(list) ? (list as Grantee[]) : [],
  );
  const idsOf = (type: string) => grantees.filter((each) => each.entityType === type).map((each) => each.entityId);
  const members = entityType === 'group' ? [...numbersIn(data['added']), ...numbersIn(data['removed'])] : [];
  const own = entityType === 'user' && entityId !== null ? [entityId] : [];
  const confirming = numbersIn([data['confirmedBy']]);
  return { users: [...own, ...idsOf('user'), ...members, ...confirming], groups: idsOf('group') };
}

/** Returns the only row that the activity has touched so far; null if it touched none or several. */
function onlyRowAfter(
  activity: Pick<ActivityTableRow, 'rows' | 'only_row'>,
  { seq }: NumberedEvent,
  { entityType, entityId }: Pick<StoredFact, 'entityType' | 'entityId'>,
  ids: readonly number[],
): OnlyRow | null {
  if (ids.length === 0 || entityId === null) return activity.only_row;
  const [id] = ids as [number];
  if (ids.length > 1) return null;
  if (activity.rows === 0) return { entityType, entityId, id, firstSeq: seq, lastSeq: seq };
  const { only_row: only } = activity;
  const isSame = only?.entityType === entityType && only.entityId === entityId && only.id === id;
  return isSame ? { ...only, lastSeq: seq } : null;
}

type JobEvent = ImportJobEvent | BulkDecisionEvent;

/** Returns the job after an event. */
function jobAfter(job: ActivityJob | null, event: NumberedEvent): ActivityJob | null {
  if (event.undecodable !== undefined || !isJobStream(event)) return job;
  const recorded = event as NumberedEvent<JobEvent>;
  switch (recorded.type) {
    case 'ImportRequested':
    case 'BulkDecisionRequested':
      // The projection of jobs refuses a request without a job type, but the audit log must describe every event.
      if (typeof recorded.data.jobType !== 'string') return job;
      return { id: recorded.data.jobId, type: recorded.data.jobType, status: 'PENDING', counts: null, reason: null };
    case 'ImportStarted':
      return job && { ...job, status: 'IN_PROGRESS' };
    case 'ImportCompleted':
    case 'BulkDecisionCompleted':
      return job && { ...job, status: 'DONE', counts: recorded.data.counts };
    case 'ImportCancelled':
    case 'BulkDecisionCancelled':
      return job && { ...job, status: 'CANCELLED', counts: recorded.data.counts };
    case 'ImportFailed':
      return job && { ...job, status: 'FAILED', reason: recorded.data.reason };
    case 'BulkDecisionFailed':
      return job && { ...job, status: 'FAILED', reason: recorded.data.reason, counts: recorded.data.counts };
    case 'ImportUndone':
      return job;
    case 'ImportPhaseCompleted':
      return job && (recorded.data.phase === 'IMPORT' ? { ...job, counts: recorded.data.counts } : job);
  }
}

const isJobStream = ({ category }: NumberedEvent): boolean => category === 'importJob' || category === 'bulkDecision';
export const isRequest = ({ type }: NumberedEvent): boolean =>
  type === 'ImportRequested' || type === 'BulkDecisionRequested';

export const purgeOf = (event: NumberedEvent): number | null => {
  const { purgeId } = dataOf(event);
  return typeof purgeId === 'number' ? purgeId : null;
};
