/** The words that pages show for paths in events and states, and for constants such as PENDING. */
import { propertyWords } from '@rdm/contracts/audit/named-values';
import { CROSSWALK_FIELDS, MAPPING_FIELDS } from '@rdm/contracts/crosswalks/list-fields';
import { DATA_SET_FIELDS, INSTANCE_LIST_FIELDS } from '@rdm/contracts/data-sets/list-fields';
import { JOB_STATUSES } from '@rdm/contracts/jobs/jobs';
import type { ListFields } from '@rdm/contracts/lists/list-field';
import { RELATIONSHIP_FIELDS, RELATIONSHIP_VALUE_FIELDS } from '@rdm/contracts/relationships/list-fields';
import { APPROVAL_STATUSES } from '@rdm/contracts/review/approval';
import { jobStatusWord } from '../../../components/job-status/index.tsx';
import { JOB_TYPE_LABELS, PHASE_LABELS } from '../../../components/job-status/labels.ts';
import { statusWord } from '../../../components/status-badge/index.tsx';
import { capitalized } from '../../../lib/capitalized.ts';
import { CARDINALITY_WORDS, UNMAPPED_WORDS } from '../../../lib/definitions/words.ts';

const LIST_FIELDS: ListFields = {
  ...DATA_SET_FIELDS,
  ...INSTANCE_LIST_FIELDS,
  ...RELATIONSHIP_FIELDS,
  ...RELATIONSHIP_VALUE_FIELDS,
  ...CROSSWALK_FIELDS,
  ...MAPPING_FIELDS,
};

/** The words for members that are not in `LIST_FIELDS`, or whose label there does not fit. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  ids: 'rows',
  served: 'served value',
  to: 'restored state',
  unmapped: 'unmapped values',
  yields: 'result',
};

/** Returns the words for a member. Removes “ id” from labels, because the page displays ids as names. */
const memberWords = (name: string): string =>
  OTHER_WORDS[name] ?? LIST_FIELDS[name]?.pageLabel.replace(/ id$/, '').toLowerCase() ?? propertyWords(name);

const singular = (words: string): string => words.replace(/ies$/, 'y').replace(/s$/, '');

/**
 * Returns the words for a path, such as “Author 1” for `authors[0]`. `name` is the name of the object whose id is the
 * last member: with `name` “code”, `rows[0].values.1` becomes “Row 1 › code”.
 */
export function pathWords(path: string, name: string | undefined): string {
  // The members of `columns` are the names of the columns of a file.
  const [, knownPath = path, column] = /^(.*\bcolumns)\.(.*)$/.exec(path) ?? [];
  const members = knownPath.split('.');
  const words = members.flatMap((member, index) => {
    const isLast = index === members.length - 1;
    if (isLast && name !== undefined) return [name];
    // Omits the member with the content of a row, except in `value.id`, because the row itself has an `id` too.
    if (!isLast && ['value', 'values', 'attributes'].includes(member) && members[index + 1] !== 'id') return [];
    const parent = members[index - 1];
    if (parent === 'values' || parent === 'attributes')
      return [`${parent === 'values' ? 'field' : 'attribute'} ${member}`];
    const [, list = '', position] = /^(.*?)\[(\d+)\]$/.exec(member) ?? [];
    return [position === undefined ? memberWords(member) : `${singular(memberWords(list))} ${Number(position) + 1}`];
  });
  const isNamed = words.length === 1 && name !== undefined;
  const text = words.join(' › ');
  return `${isNamed ? text : capitalized(text)}${column === undefined ? '' : ` › ${column}`}`;
}

const wordsFor = <Constant extends string>(constants: readonly Constant[], wordOf: (constant: Constant) => string) =>
  Object.fromEntries(constants.map((constant) => [constant, wordOf(constant)]));

/** The words for constants, by the name of the member that has them. */
const CONSTANTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  approvalStatus: wordsFor(APPROVAL_STATUSES, statusWord),
  status: wordsFor(JOB_STATUSES, jobStatusWord),
  cardinality: CARDINALITY_WORDS,
  yields: UNMAPPED_WORDS,
  jobType: JOB_TYPE_LABELS,
  phase: PHASE_LABELS,
  origin: { MANUAL: 'Manual', SUGGESTION: 'Suggestion', IMPORT: 'Import' },
};

/** The word for a constant at a path; undefined for other values. */
export function constantWord(path: string, value: string): string | undefined {
  // A member of `columns` is a column of a file: its value is text of the file, not a constant.
  return /\bcolumns\./.test(path) ? undefined : CONSTANTS[path.slice(path.lastIndexOf('.') + 1)]?.[value];
}
