/**
 * Finds candidates for whole data sets: reads both sides itself, caches the result for the next page, and reports its
 * progress. Runs in its own thread (matching.main.ts), in slices, so that small questions are answered in between.
 */
import { setImmediate as breathe, setTimeout as pause } from 'node:timers/promises';
import { type Candidate, indexTargets, type MappedBefore, type Named, type TargetIndex } from './candidates.ts';

export interface Statement {
  text: string;
  values: unknown[];
}
/** Runs a statement. */
export type Read = (statement: Statement) => Promise<unknown[]>;

/** A statement, with a key that changes with its rows. */
interface Kept {
  key: string;
  statement: Statement;
}

export interface Question {
  targets: Kept;
  /** Mappings of other crosswalks to the same targets: `value`, `targetValue`, `crosswalk`. */
  before?: Kept | undefined;
  /** Dismissed pairs: `value`, `targetValue`. */
  dismissed?: Kept | undefined;
  /** Least confidence, 0 to 100. */
  threshold: number;
  about:
    | { kind: 'some'; sources: Named[] }
    | { kind: 'preview'; sources: Statement; most: number }
    | {
        kind: 'all';
        /** The owner of the result: a newer one replaces it. */
        owner: string;
        sources: Kept;
        /** The listed sources, in their order: `id`, `sourceValue`, `sourceLabel`. */
        list: Kept;
        /** Least confidence of listed sources. */
        least: number;
        /** Leaves out sources with two best candidates, and counts them. */
        clear: boolean;
        isSortedByConfidence: boolean;
        page: number;
        pageSize: number;
      };
}

export interface Listed {
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
  preview: { items: (Named & { candidates: Candidate[] })[]; suggested: number; sourceValues: number };
  all: {
    items: (Listed & { candidates: Candidate[] })[];
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
export const BEFORE_MAX = 200_000;
/** Cached indexes, mappings of other crosswalks, and results. */
const KEPT_MAX = 3;
/** Working time between two pauses for other questions. */
const SLICE_MS = 15;
/** How long a question waits for the result; then the answer has the progress. */
const PATIENCE_MS = 1_000;
/** Work is cancelled if no request has used it for this long. */
const GIVEN_UP_AFTER_MS = 60_000;
const EXAMPLES = 5;

interface Row {
  value: string;
  label: string | null;
  synonyms: string | null;
}
const SEPARATOR = /[|;]/;
const named = ({ value, label, synonyms }: Row): Named => {
  const others = synonyms?.split(SEPARATOR).flatMap((text) => text.trim() || []);
  return { value, label, ...(others && others.length > 0 ? { synonyms: others } : {}) };
};

interface Targets {
  index: TargetIndex;
  bounded: boolean;
}
type Before = ReadonlyMap<string, MappedBefore[]>;
/** The dismissed targets of each source. */
type Dismissed = ReadonlyMap<string, ReadonlySet<string>>;
const NONE_DISMISSED: Dismissed = new Map();

/** The result for all sources, as far as it is computed. */
interface Whole {
  key: string;
  places: Map<string, number>;
  sources: Named[];
  /** The best candidate of each source; a second one only if it has the same confidence. */
  found: Candidate[][];
  /** The dismissals that `found` respects, and the current ones. */
  weighedWithout: Dismissed;
  without: Dismissed;
  done: number;
  total: number;
  bounded: boolean;
  list: { key: string; rows: Listed[] } | undefined;
  askedAt: number;
  cancelled: boolean;
  finished: Promise<void>;
}

/** A cache of the last few results by key; failures are not cached. */
function keeping<Made>() {
  const kept = new Map<string, Promise<Made>>();
  return (key: string, make: () => Promise<Made>): Promise<Made> => {
    const made = kept.get(key) ?? make();
    kept.delete(key);
    kept.set(key, made);
    made.catch(() => kept.get(key) === made && kept.delete(key));
    const [oldest] = kept.keys();
    if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
    return made;
  };
}

export function createMatching(read: Read, patienceMs = PATIENCE_MS): Matching {
  const targetsOf = keeping<Targets>();
  const beforeOf = keeping<Before>();
  const dismissedOf = keeping<Dismissed>();
  const wholes = new Map<string, Whole>();
  /** Runs one task at a time: each would use the whole thread. */
  let working: Promise<void> = Promise.resolve();

  const loadTargets = async ({ statement }: Kept): Promise<Targets> => {
    const rows = (await read(statement)) as Row[];
    const bounded = rows.length > TARGETS_MAX;
    return { index: indexTargets(rows.slice(0, TARGETS_MAX).map(named)), bounded };
  };
  const loadBefore = async ({ statement }: Kept): Promise<Before> => {
    const before = new Map<string, MappedBefore[]>();
    for (const { value, ...mapped } of (await read(statement)) as (MappedBefore & { value: string })[]) {
      const held = before.get(value);
      if (held) held.push(mapped);
      else before.set(value, [mapped]);
    }
    return before;
  };
  const loadDismissed = async ({ statement }: Kept): Promise<Dismissed> => {
    const dismissed = new Map<string, Set<string>>();
    for (const { value, targetValue } of (await read(statement)) as { value: string; targetValue: string }[]) {
      const held = dismissed.get(value);
      if (held) held.add(targetValue);
      else dismissed.set(value, new Set([targetValue]));
    }
    return dismissed;
  };
  const opened = async ({ targets, before }: Question): Promise<[Targets, Before]> => [
    await targetsOf(targets.key, () => loadTargets(targets)),
    before ? await beforeOf(before.key, () => loadBefore(before)) : new Map(),
  ];
  const dismissedBy = async ({ dismissed }: Question): Promise<Dismissed> =>
    dismissed ? dismissedOf(dismissed.key, () => loadDismissed(dismissed)) : NONE_DISMISSED;

  async function some(question: Question, sources: readonly Named[]): Promise<Answer<'some'>> {
    const [{ index, bounded }, before] = await opened(question);
    const dismissed = await dismissedBy(question);
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
    const [{ index }] = await opened(question);
    const sources = ((await read(statement)) as Row[]).map(named);
    const sure: Answer<'preview'>['items'] = [];
    const alike: Answer<'preview'>['items'] = [];
    let suggested = 0;
    let until = performance.now() + SLICE_MS;
    for (const source of sources) {
      if (performance.now() > until) {
        await breathe();
        until = performance.now() + SLICE_MS;
      }
      const [best] = index.best(source, SURE);
      if (best) suggested += 1;
      if (best ? sure.length < most : sure.length + alike.length < most) {
        const candidates = index.suggest(source, question.threshold);
        if (candidates.length > 0) (best ? sure : alike).push({ ...source, candidates });
      }
    }
    return { items: [...sure, ...alike].slice(0, most), suggested, sourceValues: sources.length };
  }

  function begin(question: Question, owner: string, key: string, sources: Kept, without: Dismissed): Whole {
    const whole: Whole = {
      key,
      places: new Map(),
      sources: [],
      found: [],
      weighedWithout: without,
      without,
      done: 0,
      total: 0,
      bounded: false,
      list: undefined,
      askedAt: Date.now(),
      cancelled: false,
      finished: Promise.resolve(),
    };
    queue(whole, owner, () => work(question, whole, sources));
    return whole;
  }

  function queue(whole: Whole, owner: string, task: () => Promise<void>): void {
    whole.finished = working.then(task);
    working = whole.finished.catch(() => {
      if (wholes.get(owner) === whole) wholes.delete(owner);
    });
  }

  async function work(question: Question, whole: Whole, sources: Kept): Promise<void> {
    if (whole.cancelled) return;
    const [{ index, bounded }, before] = await opened(question);
    const rows = (await read(sources.statement)) as Row[];
    whole.bounded = bounded || rows.length > SOURCES_MAX;
    whole.total = Math.min(rows.length, SOURCES_MAX);
    const dismissed = whole.weighedWithout;
    await inSlices(whole, rows.slice(0, SOURCES_MAX), (row) => {
      const source = named(row);
      whole.places.set(source.value, whole.sources.length);
      whole.sources.push(source);
      const known = { before: before.get(source.value), dismissed: dismissed.get(source.value) };
      whole.found.push(index.best(source, question.threshold, known));
      whole.done += 1;
    });
  }

  /** Compares again the sources whose dismissals have changed; all others stay valid. */
  async function revise(question: Question, whole: Whole): Promise<void> {
    if (whole.cancelled || whole.weighedWithout === whole.without) return;
    const { weighedWithout: then, without: now } = whole;
    const [{ index }, before] = await opened(question);
    const stale = [...new Set([...then.keys(), ...now.keys()])].flatMap((value) => {
      const place = whole.places.get(value);
      return place === undefined || isSame(then.get(value), now.get(value)) ? [] : [place];
    });
    whole.done -= stale.length;
    await inSlices(whole, stale, (place) => {
      const source = whole.sources[place] as Named;
      const known = { before: before.get(source.value), dismissed: now.get(source.value) };
      whole.found[place] = index.best(source, question.threshold, known);
      whole.done += 1;
    });
    whole.weighedWithout = now;
  }

  /** Works in slices, until no request uses the result any more. */
  async function inSlices<Item>(whole: Whole, items: readonly Item[], weigh: (item: Item) => void): Promise<void> {
    let until = performance.now() + SLICE_MS;
    for (const item of items) {
      if (performance.now() > until) {
        await breathe();
        if (Date.now() - whole.askedAt > GIVEN_UP_AFTER_MS) whole.cancelled = true;
        if (whole.cancelled) return;
        until = performance.now() + SLICE_MS;
      }
      weigh(item);
    }
  }

  async function all(question: Question, about: Question['about'] & { kind: 'all' }): Promise<Answer<'all'>> {
    const { owner, sources, list } = about;
    const key = [sources.key, question.targets.key, question.before?.key ?? '', question.threshold].join('\n');
    const dismissed = await dismissedBy(question);
    let whole = wholes.get(owner);
    if (!whole || whole.key !== key || whole.cancelled) {
      if (whole) whole.cancelled = true;
      whole = begin(question, owner, key, sources, dismissed);
    } else if (whole.without !== dismissed) {
      const known = whole;
      known.without = dismissed;
      queue(known, owner, () => revise(question, known));
    }
    wholes.delete(owner);
    wholes.set(owner, whole);
    const [oldest] = wholes.keys();
    if (wholes.size > KEPT_MAX && oldest !== undefined) {
      const given = wholes.get(oldest);
      if (given) given.cancelled = true;
      wholes.delete(oldest);
    }
    whole.askedAt = Date.now();
    let isDone = false;
    const finished = whole.finished.then(() => {
      isDone = true;
    });
    await Promise.race([finished, pause(patienceMs)]);
    if (whole.list?.key !== list.key) {
      whole.list = { key: list.key, rows: (await read(list.statement)) as Listed[] };
    }
    return {
      ...listed(whole, whole.list.rows, about),
      bounded: whole.bounded,
      progress: isDone ? null : { done: whole.done, total: whole.total },
    };
  }

  return {
    async answer(question: Question) {
      const { about } = question;
      switch (about.kind) {
        case 'some':
          return (await some(question, about.sources)) as never;
        case 'preview':
          return (await preview(question, about.sources, about.most)) as never;
        case 'all':
          return (await all(question, about)) as never;
      }
    },
    async close() {
      for (const whole of wholes.values()) whole.cancelled = true;
      await working;
    },
  };
}

/** From this confidence on a candidate has an equal text, apart from spelling. */
const SURE = 85;

const isSame = (some: ReadonlySet<string> | undefined, others: ReadonlySet<string> | undefined): boolean =>
  some === others || (some?.size === others?.size && [...(some ?? [])].every((each) => others?.has(each)));

function listed(
  { places, found, without }: Whole,
  rows: readonly Listed[],
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
