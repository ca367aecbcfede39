/**
 * Finds the best candidates of all source values of a data set, in slices, so that other questions are answered in
 * between. Caches the results of the last few crosswalks and thresholds.
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
/** Duration of a slice: after it, other questions are answered. */
export const SLICE_MS = 15;
/** The computation of a result is cancelled if no request has requested the result for this long. */
const CANCELLED_AFTER_MS = 60_000;

export interface ListedSource {
  id: number;
  sourceValue: string;
  sourceLabel: string | null;
}

/** The result for all sources, possibly incomplete. */
export interface WholeResult {
  key: string;
  places: Map<string, number>;
  sources: LabelledValue[];
  /** The best candidate of each source; a second one only if it has the same confidence. */
  found: Candidate[][];
  /** The dismissals that `found` was computed with, and the current dismissals. */
  comparedDismissals: DismissedTargets;
  dismissals: DismissedTargets;
  done: number;
  total: number;
  /** Whether there are more sources or targets than are compared. */
  bounded: boolean;
  /** The sources that the last request lists, filtered and in its order; set and read by matching.ts. */
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
   * Returns the result of a question, which may still be incomplete. `subject` names the crosswalk and the threshold: a newer question
   * about the same subject replaces the older one.
   */
  find(question: WholeQuestion, subject: string, sources: CachedStatement): Promise<WholeResult>;
  close(): Promise<void>;
}

export function openWholeResults(read: RunStatement, inputs: MatchingInputs): WholeResults {
  const results = new Map<string, WholeResult>();
  /** The end of the queue of tasks: only one runs at a time, because each uses the whole thread. */
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
      result.found.push(index.best(source, question.threshold, knowledge));
      result.done += 1;
    });
  }

  /** Compares again the sources whose dismissals have changed; the candidates of all other sources stay valid. */
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
      result.found[place] = index.best(source, question.threshold, knowledge);
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
  found: [],
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

/** Processes items in slices; stops when the result is cancelled, or no request has requested it for some time. */
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
