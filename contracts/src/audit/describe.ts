/** Describes an activity in one sentence, for the page, exports and notifications. */
import { actorText } from '../access/acting-key.ts';
import { LOCK_AFTER_FAILURES } from '../constants.ts';
import { fileInDescription } from '../jobs/jobs.ts';
import { type PurgeKind, purgedSentence } from '../text/purge-kinds.ts';
import type { ActivityFact, ActivityRow, UndescribedActivity } from './activities.ts';
import { actionOf } from './activity-actions.ts';
import { propertyWords } from './named-values.ts';

/** The maximum number of changes of a row, facts or names that a sentence lists; it counts the others. */
const LISTED_MAX = 3;
const VALUE_CHARACTERS = 60;

/** The input of a sentence: an activity of the audit log, or a notification about one. */
export type DescribedActivity = Pick<
  UndescribedActivity,
  | 'userId'
  | 'username'
  | 'apiKeyId'
  | 'apiKeyName'
  | 'sourceType'
  | 'facts'
  | 'job'
  | 'rows'
  | 'names'
  | 'undoes'
  | 'comment'
> & { row: DescribedRow | null };
type DescribedRow = Pick<ActivityRow, 'key' | 'changes'>;

/** The subject of the sentence. */
export function activityActor(activity: DescribedActivity): string {
  const signedUp = activity.facts.find(({ action }) => isSignUp({ ...activity, action }));
  return signedUp ? userName(signedUp.entityId, activity) : actorText(activity.username ?? 'The system', activity);
}

/**
 * Whether an event records that a user signed up without an administrator. Such an event has no actor, because the user
 * had no session.
 */
export const isSignUp = (event: { action: string; userId: number | null; sourceType: string | null }): boolean =>
  event.action === 'UserRegistered' && event.userId === null && ['UI', 'API'].includes(event.sourceType ?? '');

export const describe = (activity: DescribedActivity): string =>
  `${activityActor(activity)} ${describeAction(activity)}`;

/** The sentence without its subject. */
export function describeAction(activity: DescribedActivity): string {
  const { comment } = activity;
  return `${actionText(activity)}${jobText(activity)}${comment ? `: ${quote(comment)}` : ''}`;
}

const quote = (text: string): string => `"${text}"`;
const number = (count: number): string => count.toLocaleString('en');
const plural = (count: number, [one, many]: Noun): string => `${number(count)} ${count === 1 ? one : many}`;

/** “a”, “a and b”, “a, b and c”. */
const joinTexts = (parts: readonly string[], last = 'and'): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)}`;

/** The first parts, and the number of further parts. */
const firstOf = (parts: readonly string[]): string => {
  const more = parts.length - LISTED_MAX;
  return more > 0 ? joinTexts([...parts.slice(0, LISTED_MAX), `${number(more)} more`]) : joinTexts(parts);
};

type Noun = readonly [one: string, many: string];

/** The name of the rows of an entity, and the preposition before the name of the entity. */
const ROWS: Readonly<Record<string, { noun: Noun; join: string }>> = {
  instances: { noun: ['row', 'rows'], join: 'in' },
  mappings: { noun: ['mapping', 'mappings'], join: 'of' },
  relationshipValues: { noun: ['value', 'values'], join: 'of' },
  missingMappings: { noun: ['missing mapping', 'missing mappings'], join: 'of' },
};

/** The names of the types of entities, in sentences and on pages. */
export const ENTITY_NOUNS: Readonly<Record<string, string>> = {
  referenceType: 'type',
  dataSet: 'data set',
  instances: 'data set',
  crosswalk: 'crosswalk',
  mappings: 'crosswalk',
  missingMappings: 'crosswalk',
  relationship: 'relationship',
  relationshipValues: 'relationship',
  collection: 'collection',
  importJob: 'import',
  bulkDecision: 'job',
  apiKey: 'API key',
  backup: 'backup',
  purge: 'purge',
  legalHold: 'legal hold',
  role: 'role',
  group: 'group',
  user: 'user',
  names: 'name',
  savedFilter: 'filter',
  filterConfiguration: 'filter setting',
  system: 'system',
};

const nameOf = ({ entityName, data, entityId }: ActivityFact): string =>
  entityName ?? textOf(data['name']) ?? textOf(data['fieldName']) ?? (entityId === null ? '' : String(entityId));

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** “the crosswalk Countries”. */
const entityText = (fact: ActivityFact): string =>
  `the ${ENTITY_NOUNS[fact.entityType] ?? fact.entityType} ${nameOf(fact)}`.trim();

function actionText(activity: DescribedActivity): string {
  const { undoes, row, facts } = activity;
  if (undoes) return undoText(activity, undoes);
  const causes = facts.filter(({ action }) => actionOf(action).isConsequence !== true);
  const imported = importText(activity, causes);
  if (imported !== undefined) return imported;
  if (row && causes.length > 0 && causes.every(({ rows }) => rows > 0)) return rowText(causes, row);
  const described = causes.length > 0 ? causes : facts;
  return firstOf(withoutRepeatedVerbs(groupsOf(described).map((group) => groupText(group, activity))));
}

/** Leaves out a verb that repeats the previous verb: “created the role A and the role B”. */
const withoutRepeatedVerbs = (texts: readonly string[]): string[] =>
  texts.map((text, index) => {
    const verb = text.slice(0, text.indexOf(' the ') + 1);
    return index > 0 && verb !== '' && texts[index - 1]?.startsWith(verb) ? text.slice(verb.length) : text;
  });

/**
 * Groups facts that share one sentence: facts about the rows of an entity, and facts about an entity that need only a
 * verb and its name.
 */
function groupsOf(facts: readonly ActivityFact[]): ActivityFact[][] {
  const groups: ActivityFact[][] = [];
  for (const fact of facts) {
    const group = groups.find(([first]) => first && isSameEntity(first, fact) && belongTogether(first, fact));
    if (group) group.push(fact);
    else groups.push([fact]);
  }
  return groups;
}

const belongTogether = (a: ActivityFact, b: ActivityFact): boolean =>
  a.rows > 0 ? b.rows > 0 && nounOf(a) === nounOf(b) : b.rows === 0 && !SPECIAL[a.action] && !SPECIAL[b.action];

const isSameEntity = (a: ActivityFact, b: ActivityFact): boolean =>
  a.entityType === b.entityType && a.entityId === b.entityId;

const SUGGESTIONS: Noun = ['suggestion', 'suggestions'];

const nounOf = ({ action, entityType }: ActivityFact): Noun =>
  action.startsWith('Suggestions') ? SUGGESTIONS : (ROWS[entityType]?.noun ?? ['row', 'rows']);

/** The verb. The decision on a requested deletion is “approved the deletion of”. */
const verbOf = ({ action, data }: ActivityFact): string =>
  data['ofDeletion'] === true ? `${actionOf(action).verb} the deletion of` : actionOf(action).verb;

/** “in Products”, “to Products” after an addition, “from Products” after a deletion. */
function joinedName(fact: ActivityFact): string {
  const { effect, verb } = actionOf(fact.action);
  const isInstance = fact.entityType === 'instances';
  if (isInstance && verb === 'added') return `to ${nameOf(fact)}`;
  if (isInstance && effect === 'removed') return `from ${nameOf(fact)}`;
  return `${ROWS[fact.entityType]?.join ?? 'of'} ${nameOf(fact)}`;
}

/** “approved 417 and rejected 3 mappings of Countries”, “drafted and submitted 3 mappings of Countries”. */
function groupText(group: readonly ActivityFact[], activity: DescribedActivity): string {
  const [first] = group as [ActivityFact];
  if (first.rows === 0) return entityAction(group, activity);
  const noun = nounOf(first);
  if (group.every(({ rows }) => rows === first.rows)) {
    return `${joinTexts(group.map(verbOf))} ${plural(first.rows, noun)} ${joinedName(first)}`;
  }
  const counted = group.map((fact, index) =>
    index === group.length - 1 ? `${verbOf(fact)} ${plural(fact.rows, noun)}` : `${verbOf(fact)} ${number(fact.rows)}`,
  );
  return `${joinTexts(counted)} ${joinedName(first)}`;
}

/** “changed 00161 in Products: price 4.20 → 4.50”, “approved the mapping DE → DEU of Countries”. */
function rowText(facts: readonly ActivityFact[], row: DescribedRow): string {
  const [first] = facts as [ActivityFact];
  const verbs = joinTexts([...new Set(facts.map(verbOf))]);
  const named = first.entityType === 'instances' ? row.key : `the ${nounOf(first)[0]} ${row.key}`;
  const isChange = facts.some(({ action }) => actionOf(action).effect === 'changed');
  const changes = isChange ? row.changes.map(changeText) : [];
  return `${verbs} ${named} ${joinedName(first)}${changes.length === 0 ? '' : `: ${firstOf(changes)}`}`;
}

const changeText = ({ field, before, after }: ActivityRow['changes'][number]): string =>
  `${field} ${valueText(before)} → ${valueText(after)}`;

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'empty';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text.length > VALUE_CHARACTERS ? `${text.slice(0, VALUE_CHARACTERS)}…` : text;
}

/** “ from products.xlsx”; empty if the name of the file is unknown. */
function fromFile({ job, facts }: Pick<DescribedActivity, 'job' | 'facts'>): string {
  const described = facts.find(({ entityType }) => entityType === 'importJob')?.entityName;
  const fileName = job?.fileName ?? fileInDescription(described ?? '');
  return fileName === undefined ? '' : ` from ${fileName}`;
}

/**
 * “imported 300 rows from products.xlsx into Products: 292 new, 8 changed, 8 rejected”, “created the data set Products from
 * products.xlsx and imported 300 rows: 300 new”; undefined for other activities.
 */
function importText(activity: DescribedActivity, causes: readonly ActivityFact[]): string | undefined {
  const { job } = activity;
  if (!job?.type.endsWith('_IMPORT')) return undefined;
  const target = causes.find(({ rows, entityType }) => rows > 0 || entityType === 'instances');
  const noun = target ? nounOf(target) : ROW_NOUN;
  const from = fromFile(activity);
  const createdSet = causes.find(({ action }) => action === 'DataSetCreated');
  const created = createdSet ? `created ${entityText(createdSet)}${from} and ` : '';
  const into = created !== '' ? '' : `${from}${target ? ` into ${nameOf(target)}` : ''}`;
  const { counts } = job;
  if (!counts) {
    return `${created}${job.status === 'FAILED' ? `started an import${into}` : `is importing ${noun[1]}${into}`}`;
  }
  const parts: [number, string][] = [
    [counts.created, 'new'],
    [counts.changed, 'changed'],
    [counts.unchanged, 'unchanged'],
    [counts.removed ?? 0, 'removed'],
    [counts.failed, 'rejected'],
  ];
  const outcome = parts.flatMap(([count, word]) => (count > 0 ? [`${number(count)} ${word}`] : []));
  const imported = plural(counts.created + counts.changed + counts.unchanged, noun);
  return `${created}imported ${imported}${into}${outcome.length > 0 ? `: ${outcome.join(', ')}` : ''}`;
}

const ROW_NOUN: Noun = ['row', 'rows'];

/** How the job of the activity ended, if it failed or was cancelled. */
function jobText({ job }: Pick<DescribedActivity, 'job'>): string {
  switch (job?.status) {
    case 'FAILED':
      return `; the job failed${job.reason ? `: ${job.reason}` : ''}`;
    case 'CANCELLED':
      return '; the job was cancelled';
    default:
      return '';
  }
}

/** “undid the import of 300 rows into Products; kept 2 rows that were changed later or are in use: job 31 names each change”. */
function undoText(activity: DescribedActivity, undone: NonNullable<DescribedActivity['undoes']>): string {
  const causes = undone.facts.filter(({ action }) => actionOf(action).isConsequence !== true);
  const isImport = undone.job?.type.endsWith('_IMPORT') === true;
  // An import may create its data set first, so describe the fact about the rows.
  const first = (isImport ? causes.find(({ rows }) => rows > 0) : undefined) ?? causes[0];
  if (!first) return 'undid a command';
  const noun = isImport ? 'import' : (actionOf(first.action).noun ?? 'change');
  if (first.rows === 0) return `undid the ${noun} of ${entityText(first)}`;
  const name = isImport
    ? `${fromFile(undone)} into ${nameOf(first)}`.trim()
    : `${ROWS[first.entityType]?.join ?? 'of'} ${nameOf(first)}`;
  const kept = undone.rows - activity.rows;
  const was = kept === 1 ? 'was' : 'were';
  // The log of the job has the user and the time of each later change.
  const inUse = isImport ? ` or ${kept === 1 ? 'is' : 'are'} in use: job ${activity.job?.id} names each change` : '';
  const keptText = kept > 0 ? `; kept ${plural(kept, nounOf(first))} that ${was} changed later${inUse}` : '';
  return `undid the ${noun} of ${plural(undone.rows, nounOf(first))} ${name}${keptText}`;
}

interface Grantee {
  entityType: string;
  entityId: number;
  permissionLevel?: string;
}

function entityAction(group: readonly ActivityFact[], activity: DescribedActivity): string {
  const [fact] = group as [ActivityFact];
  const { action, data } = fact;
  const special = SPECIAL[action]?.(fact, activity);
  if (special !== undefined) return special;
  const newName = textOf(data['name']);
  const isAlone = group.length === 1;
  if (
    isAlone &&
    /(DetailsChanged|CollectionChanged|GroupChanged|RoleChanged|SavedFilterChanged)$/.test(action) &&
    newName
  ) {
    const others = Array.isArray(data['others']) ? data['others'].map((name) => propertyWords(String(name))) : [];
    const more = others.length === 0 ? '' : ` and changed its ${joinTexts(others)}`;
    return `renamed the ${ENTITY_NOUNS[fact.entityType] ?? 'entity'} to ${newName}${more}`;
  }
  return `${joinTexts(group.map(verbOf))} ${entityText(fact)}`;
}

type Special = (fact: ActivityFact, activity: DescribedActivity) => string | undefined;

const idsIn = (data: ActivityFact['data'], name: string): number[] =>
  Array.isArray(data[name]) ? (data[name] as number[]) : [];

const userName = (id: unknown, { names }: DescribedActivity): string =>
  names.users[String(id)] ?? (id === undefined || id === null ? 'a user' : `user ${id}`);

const granteeName = ({ entityType, entityId }: Grantee, activity: DescribedActivity): string =>
  entityType === 'user' ? userName(entityId, activity) : `the group ${activity.names.groups[entityId] ?? entityId}`;

const dataSetNames = (fact: ActivityFact, { names }: DescribedActivity): string =>
  firstOf(idsIn(fact.data, 'dataSetIds').map((id) => names.dataSets[id] ?? `data set ${id}`));

const roleName = (fact: ActivityFact, { names }: DescribedActivity): string =>
  `the role ${names.roles[String(fact.data['roleId'])] ?? fact.data['roleId']}`;

const ofUser = (fact: ActivityFact, activity: DescribedActivity): string => `${userName(fact.entityId, activity)}'s`;
const isOwn = (fact: ActivityFact, { userId }: DescribedActivity): boolean => fact.entityId === userId;

const RESULT_WORDS: Readonly<Record<string, string>> = {
  INTACT: 'it is intact',
  DAMAGED: 'it is damaged',
  FAILED: 'it could not be verified',
};

const purgedItems = ({ data }: ActivityFact): string | undefined =>
  data['kind'] === undefined
    ? undefined
    : purgedSentence(data['kind'] as PurgeKind, (data['counts'] as { items?: number } | undefined)?.items ?? 0);

const reasonText = ({ data }: ActivityFact): string => {
  const reason = textOf(data['reason']);
  return reason === undefined ? '' : `: ${quote(reason)}`;
};

interface HeldScope {
  kind: 'dataSet' | 'collection' | 'user' | 'all';
  id: number;
}

function heldText(scope: HeldScope | undefined, activity: DescribedActivity): string {
  switch (scope?.kind) {
    case 'dataSet':
      return `the data set ${activity.names.dataSets[scope.id] ?? scope.id}`;
    case 'collection':
      return `collection ${scope.id}`;
    case 'user':
      return userName(scope.id, activity);
    default:
      return 'all data';
  }
}

/** The sentences of facts that need more than a verb and the name of the entity. */
const SPECIAL: Readonly<Record<string, Special>> = {
  CollectionPermissionsChanged(fact, activity) {
    const granted = (fact.data['granted'] ?? []) as Grantee[];
    const revoked = (fact.data['revoked'] ?? []) as Grantee[];
    const parts = [
      ...granted.map((each) => `gave ${granteeName(each, activity)} ${each.permissionLevel} on ${nameOf(fact)}`),
      ...revoked.map((each) => `took the grant on ${nameOf(fact)} from ${granteeName(each, activity)}`),
    ];
    return parts.length === 0 ? undefined : firstOf(parts);
  },
  CollectionItemsAdded: (fact, activity) => `added ${dataSetNames(fact, activity)} to ${entityText(fact)}`,
  CollectionItemsRemoved: (fact, activity) => `removed ${dataSetNames(fact, activity)} from ${entityText(fact)}`,
  GroupMembersChanged(fact, activity) {
    const people = (name: string) => firstOf(idsIn(fact.data, name).map((id) => userName(id, activity)));
    const parts = [
      people('added') && `added ${people('added')} to ${entityText(fact)}`,
      people('removed') && `removed ${people('removed')} from ${entityText(fact)}`,
    ].filter(Boolean);
    return parts.length === 0 ? undefined : joinTexts(parts as string[]);
  },
  UserRegistered: (fact, activity) =>
    isSignUp({ ...activity, action: 'UserRegistered' })
      ? `signed up with ${roleName(fact, activity)}`
      : `created the user ${userName(fact.entityId, activity)} with ${roleName(fact, activity)}`,
  UserRoleAssigned: (fact, activity) => `gave ${userName(fact.entityId, activity)} ${roleName(fact, activity)}`,
  UserLocked: (fact, activity) =>
    `locked ${ofUser(fact, activity)} sign-in for ${number(Number(fact.data['minutes']))} minutes: ${LOCK_AFTER_FAILURES} failed attempts`,
  UserUnlocked: (fact, activity) => `unlocked ${ofUser(fact, activity)} sign-in`,
  PasswordChanged: (fact, activity) =>
    isOwn(fact, activity) ? 'changed their password' : `changed ${ofUser(fact, activity)} password`,
  PasswordReset: (fact, activity) =>
    isOwn(fact, activity) ? 'reset their password by mail' : `reset ${ofUser(fact, activity)} password`,
  ProfileChanged(fact, activity) {
    const fields = firstOf((fact.data['fields'] ?? []) as string[]);
    const whose = isOwn(fact, activity) ? 'their' : ofUser(fact, activity);
    return `changed ${whose} profile${fields === '' ? '' : `: ${fields}`}`;
  },
  SessionsEnded: (fact, activity) =>
    isOwn(fact, activity) ? 'ended their other sessions' : `ended ${ofUser(fact, activity)} sessions`,
  IdentityLinked: (fact, activity) =>
    `linked ${userName(fact.entityId, activity)} to the sign-in provider ${String(fact.data['provider'] ?? '')}`.trim(),
  BackupFailed: (fact) => `ended ${entityText(fact)}: ${textOf(fact.data['problem']) ?? 'it failed'}`,
  BackupVerified: (fact) => `verified ${entityText(fact)}: ${RESULT_WORDS[String(fact.data['result'])] ?? 'no result'}`,
  BackupScheduleChanged: () => 'changed the schedule of backups',
  BackupOverdue: () => 'found that no backup has succeeded for two intervals of the schedule',
  BackupRestored: (fact) => `restored the backup ${textOf(fact.data['fileName']) ?? ''}`.trim(),
  LegalHoldPlaced: (fact, activity) =>
    `placed a legal hold on ${heldText(fact.data['scope'] as HeldScope | undefined, activity)} for ${textOf(fact.data['matter']) ?? ''}`,
  LegalHoldReleased: (fact) => `released legal hold ${fact.entityId}`,
  PurgeRequested(fact) {
    const items = purgedItems(fact);
    return items && `requested to purge ${items}${reasonText(fact)}`;
  },
  PurgeDeclined: (fact) => `declined ${entityText(fact)}${reasonText(fact)}`,
  PurgeFailed: (fact) => `ended ${entityText(fact)}: ${textOf(fact.data['problem']) ?? 'it failed'}`,
  PurgeCompleted(fact, activity) {
    const items = purgedItems(fact);
    return items && `purged ${items}, confirmed by ${userName(fact.data['confirmedBy'], activity)}${reasonText(fact)}`;
  },
  FieldAdded: (fact) =>
    `added the field ${textOf(fact.data['name']) ?? ''} to the type ${fact.entityName ?? fact.entityId}`,
  FieldRenamed(fact) {
    const former = textOf(fact.data['formerName']);
    const field = former === undefined ? 'a field' : `the field ${former}`;
    return `renamed ${field} to ${textOf(fact.data['name']) ?? ''} in the type ${fact.entityName ?? fact.entityId}`;
  },
  NameClaimed: (fact) => `reserved the name ${quote(textOf(fact.data['name']) ?? '')}`,
  SigningKeyRegistered: (fact) => `registered signing key ${textOf(fact.data['keyId']) ?? ''}`.trim(),
  NameReleased: (fact) => `released the name ${quote(textOf(fact.data['name']) ?? '')}`,
};
