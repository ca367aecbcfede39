/**
 * Finds the best candidates of the source values of a crosswalk. Works in slices, so that the thread can answer other
 * questions in between. Caches the results that were requested last.
 */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Candidate, LabelledValue } from './candidates.ts';
import {
  CACHE_SIZE,
  type CachedStatement,
  type DismissedTargets,
  type InputStatements,
  type MatchingInputs,
  type RunStatement,
  type SideRow,
  toLabelledValue,
} from './matching-inputs.ts';

/** Maximum number of source rows that are compared. */
export const SOURCES_MAX = 100_000;
/** Duration of a slice, after which the thread can answer other questions. */
export const SLICE_MS = 15;
/** A computation is cancelled if no request needed its result for this long. */
const CANCELLED_AFTER_MS = 60_000;

export interface ListedSource {
  id: number;
  sourceValue: string;
  sourceLabel: string | null;
}

/** The result for all sources, possibly incomplete. */
export interface WholeResult {
  key: string;
  /** The index in `sources` of each source value. */
  places: Map<string, number>;
  sources: LabelledValue[];
  /** The best candidate of each source; a second one only if it has the same confidence. */
  bestCandidates: Candidate[][];
  /** The dismissals with which `bestCandidates` was computed. */
  comparedDismissals: DismissedTargets;
  /** The current dismissals. */
  dismissals: DismissedTargets;
  done: number;
  total: number;
  /** Whether there are more sources or targets than are compared. */
  bounded: boolean;
  /** The filtered and sorted sources of the last request. Only matching.ts sets and reads this list. */
  list: { key: string; rows: ListedSource[] } | undefined;
  requestedAt: number;
  cancelled: boolean;
  finished: Promise<void>;
}

export interface WholeQuestion extends InputStatements {
  /** Minimum confidence, 0 to 100. */
  threshold: number;
}

export interface WholeResults {
  /**
   * Returns a result, possibly incomplete. `subject` names the crosswalk and the threshold. The cache holds one result
   * for each subject.
   */
  find(question: WholeQuestion, subject: string, sources: CachedStatement): Promise<WholeResult>;
  close(): Promise<void>;
}

export function openWholeResults(read: RunStatement, inputs: MatchingInputs): WholeResults {
  const results = new Map<string, WholeResult>();
  /** The end of the queue of tasks. Tasks run one at a time, because a task uses the whole thread. */
  let lastTask: Promise<void> = Promise.resolve();

  function queue(result: WholeResult, subject: string, task: () => Promise<void>): void {
    result.finished = lastTask.then(task);
    lastTask = result.finished.catch(() => {
      if (results.get(subject) === result) results.delete(subject);
    });
  }

  async function computeResult(question: WholeQuestion, result: WholeResult, sources: CachedStatement): Promise<void> {
    if (result.cancelled) return;
    const [{ index, bounded }, priorMappings] = await inputs.targetsAndPrior(question);
    const rows = (await read(sources.statement)) as SideRow[];
    result.bounded = bounded || rows.length > SOURCES_MAX;
    result.total = Math.min(rows.length, SOURCES_MAX);
    const dismissed = result.comparedDismissals;
    await inSlices(result, rows.slice(0, SOURCES_MAX), (row) => {
      const source = toLabelledValue(row);
      result.places.set(source.value, result.sources.length);
      result.sources.push(source);
      const knowledge = { priorMappings: priorMappings.get(source.value), dismissed: dismissed.get(source.value) };
      result.bestCandidates.push(index.best(source, question.threshold, knowledge));
      result.done += 1;
    });
  }

  /** Computes the candidates again for the sources whose dismissals have changed. */
  async function recompare(question: WholeQuestion, result: WholeResult): Promise<void> {
    if (result.cancelled || result.comparedDismissals === result.dismissals) return;
    const { comparedDismissals: compared, dismissals: current } = result;
    const [{ index }, priorMappings] = await inputs.targetsAndPrior(question);
    const stale = [...new Set([...compared.keys(), ...current.keys()])].flatMap((value) => {
      const place = result.places.get(value);
      return place === undefined || isSame(compared.get(value), current.get(value)) ? [] : [place];
    });
    result.done -= stale.length;
    await inSlices(result, stale, (place) => {
      const source = result.sources[place] as LabelledValue;
      const knowledge = { priorMappings: priorMappings.get(source.value), dismissed: current.get(source.value) };
      result.bestCandidates[place] = index.best(source, question.threshold, knowledge);
      result.done += 1;
    });
    result.comparedDismissals = current;
  }

  return {
    async find(question, subject, sources) {
      const key = [sources.key, question.targets.key, question.priorMappings?.key ?? '', question.threshold].join('\n');
      const dismissed = await inputs.dismissed(question);
      let result = results.get(subject);
      if (!result || result.key !== key || result.cancelled) {
        if (result) result.cancelled = true;
        const started = newResult(key, dismissed);
        queue(started, subject, () => computeResult(question, started, sources));
        result = started;
      } else if (result.dismissals !== dismissed) {
        const current = result;
        current.dismissals = dismissed;
        queue(current, subject, () => recompare(question, current));
      }
      results.delete(subject);
      results.set(subject, result);
      const [oldest] = results.keys();
      if (results.size > CACHE_SIZE && oldest !== undefined) {
        const oldestResult = results.get(oldest);
        if (oldestResult) oldestResult.cancelled = true;
        results.delete(oldest);
      }
      result.requestedAt = Date.now();
      return result;
    },

    async close() {
      for (const result of results.values()) result.cancelled = true;
      await lastTask;
    },
  };
}

const newResult = (key: string, dismissals: DismissedTargets): WholeResult => ({
  key,
  places: new Map(),
  sources: [],
  bestCandidates: [],
  comparedDismissals: dismissals,
  dismissals,
  done: 0,
  total: 0,
  bounded: false,
  list: undefined,
  requestedAt: Date.now(),
  cancelled: false,
  finished: Promise.resolve(),
});

/** Processes items until the result is cancelled. Cancels a result that no request needed for some time. */
async function inSlices<Item>(
  result: WholeResult,
  items: readonly Item[],
  process: (item: Item) => void,
): Promise<void> {
  let until = performance.now() + SLICE_MS;
  for (const item of items) {
    if (performance.now() > until) {
      await yieldToEventLoop();
      if (Date.now() - result.requestedAt > CANCELLED_AFTER_MS) result.cancelled = true;
      if (result.cancelled) return;
      until = performance.now() + SLICE_MS;
    }
    process(item);
  }
}

const isSame = (one: ReadonlySet<string> | undefined, other: ReadonlySet<string> | undefined): boolean =>
  one === other || (one?.size === other?.size && [...(one ?? [])].every((each) => other?.has(each)));
