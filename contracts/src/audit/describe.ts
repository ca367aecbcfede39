/** Describes an activity in one sentence, for the page and exports of the audit log and for notifications. */
import { actorText } from '../access/acting-key.ts';
import { fileInDescription } from '../jobs/jobs.ts';
import type { ActivityFact, ActivityRow } from './activities.ts';
import { actionOf } from './activity-actions.ts';
import { propertyWords } from './named-values.ts';
import {
  type DescribedActivity,
  type DescribedRow,
  ENTITY_NOUNS,
  entityText,
  firstOf,
  isSignUp,
  joinTexts,
  type Noun,
  nameOf,
  number,
  plural,
  quote,
  textOf,
  userName,
} from './sentence-words.ts';
import { SPECIAL_SENTENCES } from './special-sentences.ts';

const VALUE_CHARACTERS = 60;

/** The subject of the sentence. */
export function activityActor(activity: DescribedActivity): string {
  const signedUp = activity.facts.find(({ action }) => isSignUp({ ...activity, action }));
  return signedUp ? userName(signedUp.entityId, activity) : actorText(activity.username ?? 'The system', activity);
}

export const describe = (activity: DescribedActivity): string =>
  `${activityActor(activity)} ${describeAction(activity)}`;

/** The sentence without its subject. */
export function describeAction(activity: DescribedActivity): string {
  const { comment } = activity;
  return `${actionText(activity)}${jobText(activity)}${comment ? `: ${quote(comment)}` : ''}`;
}

/** By entity type, the noun for rows, and the preposition between rows and entity: “mappings of Countries”. */
const ROWS: Readonly<Record<string, { noun: Noun; join: string }>> = {
  instances: { noun: ['row', 'rows'], join: 'in' },
  mappings: { noun: ['mapping', 'mappings'], join: 'of' },
  relationshipValues: { noun: ['value', 'values'], join: 'of' },
  missingMappings: { noun: ['missing mapping', 'missing mappings'], join: 'of' },
};

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
 * Groups facts about the same entity that one text can describe: facts about rows, or facts without a special sentence.
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
  a.rows > 0
    ? b.rows > 0 && nounOf(a) === nounOf(b)
    : b.rows === 0 && !SPECIAL_SENTENCES[a.action] && !SPECIAL_SENTENCES[b.action];

const isSameEntity = (a: ActivityFact, b: ActivityFact): boolean =>
  a.entityType === b.entityType && a.entityId === b.entityId;

const SUGGESTIONS: Noun = ['suggestion', 'suggestions'];

const nounOf = ({ action, entityType }: ActivityFact): Noun =>
  action.startsWith('Suggestions') ? SUGGESTIONS : (ROWS[entityType]?.noun ?? ['row', 'rows']);

/** The verb, such as “approved”, or “approved the deletion of” if a deletion was requested. */
const verbOf = ({ action, data }: ActivityFact): string =>
  data['ofDeletion'] === true ? `${actionOf(action).verb} the deletion of` : actionOf(action).verb;

/** “in Products”, “to Products” after “added”, “from Products” after a deletion; “of Countries” for other rows. */
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
  const jobDescription = facts.find(({ entityType }) => entityType === 'importJob')?.entityName;
  const fileName = job?.fileName ?? fileInDescription(jobDescription ?? '');
  return fileName === undefined ? '' : ` from ${fileName}`;
}

/**
 * “imported 300 rows from products.xlsx into Products: 292 new, 8 changed”, “created the data set Products and imported
 * 300 rows: 300 new”; undefined for activities other than imports.
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

/** “; the job was cancelled”; empty unless the job failed or was cancelled. */
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

/** “undid the approval of 3 mappings of Countries; kept 1 mapping that was changed later”. */
function undoText(activity: DescribedActivity, undone: NonNullable<DescribedActivity['undoes']>): string {
  const causes = undone.facts.filter(({ action }) => actionOf(action).isConsequence !== true);
  const isImport = undone.job?.type.endsWith('_IMPORT') === true;
  // An import may create its data set first: describe the rows instead.
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

function entityAction(group: readonly ActivityFact[], activity: DescribedActivity): string {
  const [fact] = group as [ActivityFact];
  const { action, data } = fact;
  const special = SPECIAL_SENTENCES[action]?.(fact, activity);
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
