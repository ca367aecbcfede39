/**
 * Finds candidates for whole data sets: reads both sides itself, caches the result for the next page, and reports its
 * progress. Runs in its own thread (matching.main.ts), in slices, so that small questions are answered in between.
 */
import { setTimeout as pause, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type Candidate, indexTargets, type LabelledValue, type PriorMapping, type TargetIndex } from './candidates.ts';

export interface Statement {
  text: string;
  values: unknown[];
}
/** Runs a statement. */
export type RunStatement = (statement: Statement) => Promise<unknown[]>;

/** A statement, with a key that changes with its rows. */
interface CachedStatement {
  key: string;
  statement: Statement;
}

export interface Question {
  targets: CachedStatement;
  /** Mappings of other crosswalks to the same targets: `value`, `targetValue`, `crosswalk`. */
  before?: CachedStatement | undefined;
  /** Dismissed pairs: `value`, `targetValue`. */
  dismissed?: CachedStatement | undefined;
  /** Least confidence, 0 to 100. */
  threshold: number;
  about:
    | { kind: 'some'; sources: LabelledValue[] }
    | { kind: 'preview'; sources: Statement; most: number }
    | {
        kind: 'all';
        /** The owner of the result: a newer one replaces it. */
        owner: string;
        sources: CachedStatement;
        /** The listed sources, in their order: `id`, `sourceValue`, `sourceLabel`. */
        list: CachedStatement;
        /** Least confidence of listed sources. */
        least: number;
        /** Leaves out sources with two best candidates, and counts them. */
        clear: boolean;
        isSortedByConfidence: boolean;
        page: number;
        pageSize: number;
      };
}

export interface ListedSource {
  id: number;
  sourceValue: string;
  sourceLabel: string | null;
}
export interface Progress {
  done: number;
  total: number;
}

export type Answer<Kind extends Question['about']['kind']> = {
  some: { candidates: Candidate[][]; bounded: boolean };
  preview: { items: (LabelledValue & { candidates: Candidate[] })[]; suggested: number; sourceValues: number };
  all: {
    items: (ListedSource & { candidates: Candidate[] })[];
    total: number;
    ambiguous: { total: number; examples: string[] };
    bounded: boolean;
    /** Null once all sources were compared. */
    progress: Progress | null;
  };
}[Kind];

export interface Matching {
  answer<Kind extends Question['about']['kind']>(question: Question & { about: { kind: Kind } }): Promise<Answer<Kind>>;
  close(): Promise<void>;
}

/** Rows of each side that are compared. */
export const TARGETS_MAX = 100_000;
export const SOURCES_MAX = 100_000;
/** Mappings of other crosswalks that are used. */
export const PRIOR_MAPPINGS_MAX = 200_000;
/** Cached indexes, mappings of other crosswalks, and results. */
const CACHE_SIZE = 3;
/** Working time between two pauses for other questions. */
const SLICE_MS = 15;
/** How long a question waits for the result; then the answer has the progress. */
const PATIENCE_MS = 1_000;
/** Work is cancelled if no request has used it for this long. */
const CANCELLED_AFTER_MS = 60_000;
const EXAMPLES = 5;

interface SideRow {
  value: string;
  label: string | null;
  synonyms: string | null;
}
const SEPARATOR = /[|;]/;
const toLabelledValue = ({ value, label, synonyms }: SideRow): LabelledValue => {
  const others = synonyms?.split(SEPARATOR).flatMap((text) => text.trim() || []);
  return { value, label, ...(others && others.length > 0 ? { synonyms: others } : {}) };
};

interface Targets {
  index: TargetIndex;
  bounded: boolean;
}
type PriorMappings = ReadonlyMap<string, PriorMapping[]>;
/** The dismissed targets of each source. */
type DismissedTargets = ReadonlyMap<string, ReadonlySet<string>>;
const NO_DISMISSALS: DismissedTargets = new Map();

/** The result for all sources, as far as it is computed. */
interface WholeResult {
  key: string;
  places: Map<string, number>;
  sources: LabelledValue[];
  /** The best candidate of each source; a second one only if it has the same confidence. */
  found: Candidate[][];
  /** The dismissals that `found` respects, and the current ones. */
  comparedWithout: DismissedTargets;
  without: DismissedTargets;
  done: number;
  total: number;
  bounded: boolean;
  list: { key: string; rows: ListedSource[] } | undefined;
  requestedAt: number;
  cancelled: boolean;
  finished: Promise<void>;
}

/** A cache of the last few results by key; failures are not cached. */
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

export function createMatching(read: RunStatement, patienceMs = PATIENCE_MS): Matching {
  const targetsOf = createCache<Targets>();
  const priorOf = createCache<PriorMappings>();
  const dismissedOf = createCache<DismissedTargets>();
  const results = new Map<string, WholeResult>();
  /** Runs one task at a time: each would use the whole thread. */
  let working: Promise<void> = Promise.resolve();

  const loadTargets = async ({ statement }: CachedStatement): Promise<Targets> => {
    const rows = (await read(statement)) as SideRow[];
    const bounded = rows.length > TARGETS_MAX;
    return { index: indexTargets(rows.slice(0, TARGETS_MAX).map(toLabelledValue)), bounded };
  };
  const loadBefore = async ({ statement }: CachedStatement): Promise<PriorMappings> => {
    const before = new Map<string, PriorMapping[]>();
    for (const { value, ...mapped } of (await read(statement)) as (PriorMapping & { value: string })[]) {
      const held = before.get(value);
      if (held) held.push(mapped);
      else before.set(value, [mapped]);
    }
    return before;
  };
  const loadDismissed = async ({ statement }: CachedStatement): Promise<DismissedTargets> => {
    const dismissed = new Map<string, Set<string>>();
    for (const { value, targetValue } of (await read(statement)) as { value: string; targetValue: string }[]) {
      const held = dismissed.get(value);
      if (held) held.add(targetValue);
      else dismissed.set(value, new Set([targetValue]));
    }
    return dismissed;
  };
  const loadInputs = async ({ targets, before }: Question): Promise<[Targets, PriorMappings]> => [
    await targetsOf(targets.key, () => loadTargets(targets)),
    before ? await priorOf(before.key, () => loadBefore(before)) : new Map(),
  ];
  const loadDismissedOf = async ({ dismissed }: Question): Promise<DismissedTargets> =>
    dismissed ? dismissedOf(dismissed.key, () => loadDismissed(dismissed)) : NO_DISMISSALS;

  async function findSome(question: Question, sources: readonly LabelledValue[]): Promise<Answer<'some'>> {
    const [{ index, bounded }, before] = await loadInputs(question);
    const dismissed = await loadDismissedOf(question);
    const candidates = sources.map((source) =>
      index.suggest(source, question.threshold, {
        before: before.get(source.value),
        dismissed: dismissed.get(source.value),
      }),
    );
    return { candidates, bounded };
  }

  /** Equal values first, then similar ones, up to the limit. */
  async function preview(question: Question, statement: Statement, most: number): Promise<Answer<'preview'>> {
    const [{ index }] = await loadInputs(question);
    const sources = ((await read(statement)) as SideRow[]).map(toLabelledValue);
    const equal: Answer<'preview'>['items'] = [];
    const similar: Answer<'preview'>['items'] = [];
    let suggested = 0;
    let until = performance.now() + SLICE_MS;
    for (const source of sources) {
      if (performance.now() > until) {
        await yieldToEventLoop();
        until = performance.now() + SLICE_MS;
      }
      const [best] = index.best(source, EQUAL_CONFIDENCE);
      if (best) suggested += 1;
      if (best ? equal.length < most : equal.length + similar.length < most) {
        const candidates = index.suggest(source, question.threshold);
        if (candidates.length > 0) (best ? equal : similar).push({ ...source, candidates });
      }
    }
    return { items: [...equal, ...similar].slice(0, most), suggested, sourceValues: sources.length };
  }

  function startResult(
    question: Question,
    owner: string,
    key: string,
    sources: CachedStatement,
    without: DismissedTargets,
  ): WholeResult {
    const result: WholeResult = {
      key,
      places: new Map(),
      sources: [],
      found: [],
      comparedWithout: without,
      without,
      done: 0,
      total: 0,
      bounded: false,
      list: undefined,
      requestedAt: Date.now(),
      cancelled: false,
      finished: Promise.resolve(),
    };
    queue(result, owner, () => computeResult(question, result, sources));
    return result;
  }

  function queue(result: WholeResult, owner: string, task: () => Promise<void>): void {
    result.finished = working.then(task);
    working = result.finished.catch(() => {
      if (results.get(owner) === result) results.delete(owner);
    });
  }

  async function computeResult(question: Question, result: WholeResult, sources: CachedStatement): Promise<void> {
    if (result.cancelled) return;
    const [{ index, bounded }, before] = await loadInputs(question);
    const rows = (await read(sources.statement)) as SideRow[];
    result.bounded = bounded || rows.length > SOURCES_MAX;
    result.total = Math.min(rows.length, SOURCES_MAX);
    const dismissed = result.comparedWithout;
    await inSlices(result, rows.slice(0, SOURCES_MAX), (row) => {
      const source = toLabelledValue(row);
      result.places.set(source.value, result.sources.length);
      result.sources.push(source);
      const known = { before: before.get(source.value), dismissed: dismissed.get(source.value) };
      result.found.push(index.best(source, question.threshold, known));
      result.done += 1;
    });
  }

  /** Compares again the sources whose dismissals have changed; all others stay valid. */
  async function recompare(question: Question, result: WholeResult): Promise<void> {
    if (result.cancelled || result.comparedWithout === result.without) return;
    const { comparedWithout: then, without: now } = result;
    const [{ index }, before] = await loadInputs(question);
    const stale = [...new Set([...then.keys(), ...now.keys()])].flatMap((value) => {
      const place = result.places.get(value);
      return place === undefined || isSame(then.get(value), now.get(value)) ? [] : [place];
    });
    result.done -= stale.length;
    await inSlices(result, stale, (place) => {
      const source = result.sources[place] as LabelledValue;
      const known = { before: before.get(source.value), dismissed: now.get(source.value) };
      result.found[place] = index.best(source, question.threshold, known);
      result.done += 1;
    });
    result.comparedWithout = now;
  }

  /** Works in slices, until no request uses the result any more. */
  async function inSlices<Item>(
    result: WholeResult,
    items: readonly Item[],
    weigh: (item: Item) => void,
  ): Promise<void> {
    let until = performance.now() + SLICE_MS;
    for (const item of items) {
      if (performance.now() > until) {
        await yieldToEventLoop();
        if (Date.now() - result.requestedAt > CANCELLED_AFTER_MS) result.cancelled = true;
        if (result.cancelled) return;
        until = performance.now() + SLICE_MS;
      }
      weigh(item);
    }
  }

  async function findAll(question: Question, about: Question['about'] & { kind: 'all' }): Promise<Answer<'all'>> {
    const { owner, sources, list } = about;
    const key = [sources.key, question.targets.key, question.before?.key ?? '', question.threshold].join('\n');
    const dismissed = await loadDismissedOf(question);
    let result = results.get(owner);
    if (!result || result.key !== key || result.cancelled) {
      if (result) result.cancelled = true;
      result = startResult(question, owner, key, sources, dismissed);
    } else if (result.without !== dismissed) {
      const current = result;
      current.without = dismissed;
      queue(current, owner, () => recompare(question, current));
    }
    results.delete(owner);
    results.set(owner, result);
    const [oldest] = results.keys();
    if (results.size > CACHE_SIZE && oldest !== undefined) {
      const oldestResult = results.get(oldest);
      if (oldestResult) oldestResult.cancelled = true;
      results.delete(oldest);
    }
    result.requestedAt = Date.now();
    let isDone = false;
    const finished = result.finished.then(() => {
      isDone = true;
    });
    await Promise.race([finished, pause(patienceMs)]);
    if (result.list?.key !== list.key) {
      result.list = { key: list.key, rows: (await read(list.statement)) as ListedSource[] };
    }
    return {
      ...listPage(result, result.list.rows, about),
      bounded: result.bounded,
      progress: isDone ? null : { done: result.done, total: result.total },
    };
  }

  return {
    async answer(question: Question) {
      const { about } = question;
      switch (about.kind) {
        case 'some':
          return (await findSome(question, about.sources)) as never;
        case 'preview':
          return (await preview(question, about.sources, about.most)) as never;
        case 'all':
          return (await findAll(question, about)) as never;
      }
    },
    async close() {
      for (const result of results.values()) result.cancelled = true;
      await working;
    },
  };
}

/** From this confidence on a candidate has an equal text, apart from spelling. */
const EQUAL_CONFIDENCE = 85;

const isSame = (some: ReadonlySet<string> | undefined, others: ReadonlySet<string> | undefined): boolean =>
  some === others || (some?.size === others?.size && [...(some ?? [])].every((each) => others?.has(each)));

function listPage(
  { places, found, without }: WholeResult,
  rows: readonly ListedSource[],
  { least, clear, isSortedByConfidence, page, pageSize }: Question['about'] & { kind: 'all' },
): Pick<Answer<'all'>, 'items' | 'total' | 'ambiguous'> {
  const ambiguous = { total: 0, examples: [] as string[] };
  const items: Answer<'all'>['items'] = [];
  for (const row of rows) {
    const weighed = found[places.get(row.sourceValue) ?? -1] ?? [];
    // Dismissed candidates are left out at once; their replacements follow when they are computed.
    const dismissed = without.get(row.sourceValue);
    const candidates = dismissed ? weighed.filter(({ targetValue }) => !dismissed.has(targetValue)) : weighed;
    const [best, second] = candidates;
    if (!best || best.confidence < least) continue;
    if (clear && second) {
      ambiguous.total += 1;
      if (ambiguous.examples.length < EXAMPLES) ambiguous.examples.push(row.sourceValue);
      continue;
    }
    items.push({ ...row, candidates });
  }
  if (isSortedByConfidence) {
    items.sort((a, b) => (b.candidates[0]?.confidence ?? 0) - (a.candidates[0]?.confidence ?? 0));
  }
  return { items: items.slice((page - 1) * pageSize, page * pageSize), total: items.length, ambiguous };
}
