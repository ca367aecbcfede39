/** Words and names in the sentences that describe activities. */
import type { ActivityFact, ActivityRow, UndescribedActivity } from './activities.ts';

/** A sentence lists at most this many changes, facts or names, and counts the remaining ones. */
const LISTED_MAX = 3;

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
export type DescribedRow = Pick<ActivityRow, 'key' | 'changes'>;

/**
 * Whether an event records that a user signed up without an administrator. Such an event has no actor, because the user
 * had no session.
 */
export const isSignUp = (event: { action: string; userId: number | null; sourceType: string | null }): boolean =>
  event.action === 'UserRegistered' && event.userId === null && ['UI', 'API'].includes(event.sourceType ?? '');

export const quote = (text: string): string => `"${text}"`;
export const number = (count: number): string => count.toLocaleString('en');
export const plural = (count: number, [one, many]: Noun): string => `${number(count)} ${count === 1 ? one : many}`;

/** Joins texts: “a”, “a and b”, “a, b and c”. */
export const joinTexts = (parts: readonly string[], last = 'and'): string =>
  parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)}`;

/** Lists the first parts, and counts the remaining ones: “a, b, c and 2 more”. */
export const firstOf = (parts: readonly string[]): string => {
  const more = parts.length - LISTED_MAX;
  return more > 0 ? joinTexts([...parts.slice(0, LISTED_MAX), `${number(more)} more`]) : joinTexts(parts);
};

export type Noun = readonly [one: string, many: string];

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

export const nameOf = ({ entityName, data, entityId }: ActivityFact): string =>
  entityName ?? textOf(data['name']) ?? textOf(data['fieldName']) ?? (entityId === null ? '' : String(entityId));

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Returns a text such as “the crosswalk Countries”. */
export const entityText = (fact: ActivityFact): string =>
  `the ${ENTITY_NOUNS[fact.entityType] ?? fact.entityType} ${nameOf(fact)}`.trim();

export const userName = (id: unknown, { names }: DescribedActivity): string =>
  names.users[String(id)] ?? (id === undefined || id === null ? 'a user' : `user ${id}`);
