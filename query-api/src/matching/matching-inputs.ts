/** Reads and caches the inputs of matching: targets, mappings of other crosswalks and dismissed pairs. */
import { indexTargets, type LabelledValue, type PriorMapping, type TargetIndex } from './candidates.ts';

export interface Statement {
  text: string;
  values: unknown[];
}
export type RunStatement = (statement: Statement) => Promise<unknown[]>;

/** A statement with a cache key that changes when the rows that the statement returns change. */
export interface CachedStatement {
  key: string;
  statement: Statement;
}

export interface InputStatements {
  targets: CachedStatement;
  /** Mappings of other crosswalks to the same targets: `value`, `targetValue`, `crosswalk`. */
  priorMappings?: CachedStatement | undefined;
  /** Dismissed pairs: `value`, `targetValue`. */
  dismissed?: CachedStatement | undefined;
}

/** Maximum number of target rows that are compared. */
export const TARGETS_MAX = 100_000;
/** Maximum number of mappings of other crosswalks that are used. */
export const PRIOR_MAPPINGS_MAX = 200_000;
/**
 * Maximum number of entries of each cache: indexes of targets, mappings of other crosswalks, dismissed pairs, and
 * results.
 */
export const CACHE_SIZE = 3;

export interface SideRow {
  value: string;
  label: string | null;
  synonyms: string | null;
}
const SEPARATOR = /[|;]/;
export const toLabelledValue = ({ value, label, synonyms }: SideRow): LabelledValue => {
  const others = synonyms?.split(SEPARATOR).flatMap((text) => text.trim() || []);
  return { value, label, ...(others && others.length > 0 ? { synonyms: others } : {}) };
};

interface Targets {
  index: TargetIndex;
  /** Whether there are more than TARGETS_MAX targets: only the first ones are compared. */
  bounded: boolean;
}
type PriorMappings = ReadonlyMap<string, PriorMapping[]>;
/** The dismissed target values of each source value. */
export type DismissedTargets = ReadonlyMap<string, ReadonlySet<string>>;
const NO_DISMISSALS: DismissedTargets = new Map();

/** Caches the results of the most recently used keys, but no failures. */
function createCache<Made>() {
  const cache = new Map<string, Promise<Made>>();
  return (key: string, make: () => Promise<Made>): Promise<Made> => {
    const value = cache.get(key) ?? make();
    cache.delete(key);
    cache.set(key, value);
    value.catch(() => cache.get(key) === value && cache.delete(key));
    const [oldest] = cache.keys();
    if (cache.size > CACHE_SIZE && oldest !== undefined) cache.delete(oldest);
    return value;
  };
}

export function openMatchingInputs(read: RunStatement) {
  const targetsOf = createCache<Targets>();
  const priorOf = createCache<PriorMappings>();
  const dismissedOf = createCache<DismissedTargets>();

  const loadTargets = async ({ statement }: CachedStatement): Promise<Targets> => {
    const rows = (await read(statement)) as SideRow[];
    const bounded = rows.length > TARGETS_MAX;
    return { index: indexTargets(rows.slice(0, TARGETS_MAX).map(toLabelledValue)), bounded };
  };
  const loadPriorMappings = async ({ statement }: CachedStatement): Promise<PriorMappings> => {
    const priorMappings = new Map<string, PriorMapping[]>();
    for (const { value, ...mapped } of (await read(statement)) as (PriorMapping & { value: string })[]) {
      const mappings = priorMappings.get(value);
      if (mappings) mappings.push(mapped);
      else priorMappings.set(value, [mapped]);
    }
    return priorMappings;
  };
  const loadDismissed = async ({ statement }: CachedStatement): Promise<DismissedTargets> => {
    const dismissed = new Map<string, Set<string>>();
    for (const { value, targetValue } of (await read(statement)) as { value: string; targetValue: string }[]) {
      const targets = dismissed.get(value);
      if (targets) targets.add(targetValue);
      else dismissed.set(value, new Set([targetValue]));
    }
    return dismissed;
  };

  return {
    async targetsAndPrior({ targets, priorMappings }: InputStatements): Promise<[Targets, PriorMappings]> {
      return [
        await targetsOf(targets.key, () => loadTargets(targets)),
        priorMappings ? await priorOf(priorMappings.key, () => loadPriorMappings(priorMappings)) : new Map(),
      ];
    },
    async dismissed({ dismissed }: InputStatements): Promise<DismissedTargets> {
      return dismissed ? dismissedOf(dismissed.key, () => loadDismissed(dismissed)) : NO_DISMISSALS;
    },
  };
}

export type MatchingInputs = ReturnType<typeof openMatchingInputs>;
