/** Texts for the kinds, states and contents of purges, and for the scopes of legal holds. */
import type { HoldScope } from '@rdm/contracts/access/access';
import type { LegalHoldView } from '@rdm/contracts/access/legal-holds';
import type { PurgeView } from '@rdm/contracts/admin/purge-requests';
import type { PurgeItem, PurgeStep } from '@rdm/contracts/admin/purges';
import { type PurgeKind, purgedText } from '@rdm/contracts/text/purge-kinds';
import { format } from 'date-fns';
import { formatNumber } from '../../../lib/number-format.ts';

export const KINDS: readonly { value: PurgeKind; label: string; detail: string; age: string }[] = [
  {
    value: 'dataSets',
    label: 'Deleted data sets',
    detail: 'With their rows, relationships, crosswalks, values, mappings, saved filters and imports.',
    age: 'Deleted at least this many days ago',
  },
  {
    value: 'definitions',
    label: 'Deleted crosswalks and relationships',
    detail: 'With their mappings and values.',
    age: 'Deleted at least this many days ago',
  },
  {
    value: 'jobs',
    label: 'Finished jobs',
    detail: 'With their files, logs and failed rows.',
    age: 'Ended at least this many days ago',
  },
  {
    value: 'telemetry',
    label: 'Technical records',
    detail: 'Sign-in attempts, addresses and browsers of requests, usage and sent mail.',
    age: 'At least this many days old',
  },
];

export const kindLabel = (kind: PurgeKind): string => KINDS.find(({ value }) => value === kind)?.label ?? kind;

const ITEM_WORDS: Record<PurgeItem['kind'], string> = {
  dataSet: 'Data set',
  crosswalk: 'Crosswalk',
  relationship: 'Relationship',
  job: 'Job',
  savedFilter: 'Saved filter',
  filterConfiguration: 'Filter configuration',
};

/** Names an item by kind and name, such as “Data set Countries”. Without a name, uses the id: “Job 17”. */
export const itemText = ({ kind, id, name }: PurgeItem): string => `${ITEM_WORDS[kind]} ${name === '' ? id : name}`;

const STEP_WORDS: Record<PurgeStep, string> = {
  REQUIREMENTS: 'checking for unfinished work on the data',
  MANIFEST: 'signing the list of events',
  TOMBSTONES: 'deleting streams',
  TABLES: 'deleting rows',
  READ_MODELS: 'rebuilding the read models',
  SPACE: 'reclaiming space',
  LEDGER: 'recording the deleted streams for later restores',
};

export function stateText(purge: PurgeView): string {
  const { status, step, problem, mayConfirm, confirmFrom, isPlanned, stored } = purge;
  const stepSuffix = step === null ? '' : `: ${STEP_WORDS[step]}`;
  switch (status) {
    case 'DRY_RUN':
      return problem ?? (isPlanned ? 'Planned, not requested' : 'Searching…');
    case 'REQUESTED':
      if (mayConfirm) return 'Waits for your confirmation';
      return confirmFrom === null
        ? 'Waits for a second administrator'
        : `You can confirm this purge from ${format(confirmFrom, 'd MMM yyyy, HH:mm')}`;
    case 'CONFIRMED':
      return `Confirmed${stepSuffix}`;
    case 'RUNNING':
      return `Running${stepSuffix}`;
    case 'RECLAIMING':
      return stored === null
        ? 'Deleted; the space is not reclaimed yet'
        : `Deleted; the files of the event store still contain ${countText(stored, 'purged event', 'purged events')}`;
    case 'DONE':
      return 'Done';
    case 'FAILED':
      return `Stopped${stepSuffix}: ${problem ?? ''}`;
    case 'DECLINED':
      return `Declined: ${problem ?? ''}`;
    case 'CANCELLED':
      return 'Cancelled';
  }
}

/** Describes what a purge deletes: “3 data sets, 2 crosswalks, 1,204 events”. */
export function contentText({ kind, counts }: Pick<PurgeView, 'kind' | 'counts'>): string {
  if (counts === null) return '';
  const { items = 0, crosswalks = 0, relationships = 0, jobs = 0, events = 0, rows = 0 } = counts;
  const parts = [purgedText(kind, items)];
  if (kind === 'dataSets') {
    if (crosswalks > 0) parts.push(countText(crosswalks, 'crosswalk', 'crosswalks'));
    if (relationships > 0) parts.push(countText(relationships, 'relationship', 'relationships'));
    if (jobs > 0) parts.push(countText(jobs, 'job', 'jobs'));
  }
  if (events > 0) parts.push(countText(events, 'event', 'events'));
  if (rows > 0 && kind !== 'telemetry') parts.push(countText(rows, 'table row', 'table rows'));
  return parts.join(', ');
}

export const countText = (count: number, one: string, many: string): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`;

const SCOPE_WORDS: Record<HoldScope['kind'], string> = {
  dataSet: 'Data set',
  collection: 'Collection',
  user: 'User',
  all: 'Everything',
};

export function scopeText({ scope, name }: Pick<LegalHoldView, 'scope' | 'name'>): string {
  if (scope.kind === 'all') return SCOPE_WORDS.all;
  return `${SCOPE_WORDS[scope.kind]} ${name ?? scope.id}`;
}
