/** Replaces ids in the tables of a replay by names, with links to the pages of the named objects. */
import type { ReplayStep } from '@rdm/contracts/audit/audit-log-view';
import { flatten, namedAt, namedByPath } from '@rdm/contracts/audit/named-values';
import { displayKey } from '@rdm/contracts/text/rows';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { usePeople } from '../../../lib/auth/people.ts';
import { constantWord, pathWords } from './property-words.ts';
import { pastPageOf, wordOf } from './subjects.ts';

export interface ReplayNames {
  /** Returns the name of a reference such as `dataSet:5`; undefined if the name is unknown. */
  of: (reference: string) => string | undefined;
  /** A path in words, with the name of its field: `rows[0].values.1` becomes “Row 1 › code”. */
  path: (path: string) => string;
  value: (path: string, value: string) => ReactNode;
}

/**
 * The names at the step with the index `stepIndex`. The response has each name once, in the first step that uses it.
 * `before` is the state before the step, and `user` the id of the replayed user.
 */
export function useReplayNames(
  steps: readonly ReplayStep[],
  stepIndex: number,
  before: unknown,
  user: number | undefined,
): ReplayNames {
  const step = steps[stepIndex];
  const names: Record<string, string> = Object.assign({}, ...steps.slice(0, stepIndex + 1).map((each) => each.names));
  const flat = { ...flatten(before), ...flatten(step?.data), ...flatten(step?.state) };
  const references = Object.keys(flat).flatMap((path) => [namedAt(flat, path), namedByPath(path)]);
  const personOf = usePeople([user, ...references.map((reference) => userIn(reference))]);
  const nameOf = (reference: string): string | undefined => {
    const userId = userIn(reference);
    return userId === undefined ? names[reference] : personOf(userId);
  };
  return {
    of: nameOf,
    path(path) {
      const reference = namedByPath(path);
      return pathWords(path, reference && nameOf(reference));
    },
    value(path, value) {
      if (path === 'key') return keyText(value);
      const reference = namedAt({ ...flat, [path]: value }, path);
      const name = reference && nameOf(reference);
      if (reference === undefined || name === undefined) return constantWord(path, value) ?? value;
      const [entityType = '', id] = reference.split(':');
      const page = step && pastPageOf({ entityType, entityId: Number(id), seq: step.seq });
      return page === undefined ? (
        name
      ) : (
        <Link to={page} title={`${wordOf(entityType)} ${id}`} className="text-accent underline underline-offset-2">
          {name}
        </Link>
      );
    },
  };
}

const userIn = (reference: string | undefined): number | undefined =>
  reference?.startsWith('user:') ? Number(reference.slice('user:'.length)) : undefined;

/** The key of a row as lists show it. */
const keyText = (canonical: string): string =>
  canonical.startsWith('[') ? displayKey(JSON.parse(canonical)) : canonical;

/** Returns the key of a row, or the source and target value of a mapping; undefined for other states. */
export function rowNameIn(state: unknown): string | undefined {
  const { key, sourceValue, value } = (state ?? {}) as {
    key?: string;
    sourceValue?: string;
    value?: { targetValue?: string };
  };
  if (key !== undefined) return keyText(key);
  return sourceValue === undefined ? undefined : `${sourceValue} → ${value?.targetValue ?? ''}`;
}
