/**
 * Finds candidates for some values, for a preview or for a whole data set, in a separate thread (matching.main.ts).
 * Computes previews and whole data sets in slices, so that other questions are answered in between.
 */

import { setTimeout as pause, setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { z } from 'zod';
import type { Candidate, LabelledValue } from './candidates.ts';
import {
  type CachedStatement,
  type InputStatements,
  openMatchingInputs,
  type RunStatement,
  type SideRow,
  type Statement,
  toLabelledValue,
} from './matching-inputs.ts';
import { type ListedSource, openWholeResults, SLICE_MS, type WholeResult } from './whole-results.ts';

export interface Question extends InputStatements {
  /** Minimum confidence, 0 to 100. */
  threshold: number;
  about:
    | { kind: 'some'; sources: LabelledValue[] }
    | { kind: 'preview'; sources: Statement; maxItems: number }
    | {
        kind: 'all';
        /** Names the crosswalk and the threshold. The cache holds one result for each subject. */
        subject: string;
        sources: CachedStatement;
        /** Selects the listed sources, in their order: `id`, `sourceValue`, `sourceLabel`. */
        list: CachedStatement;
        /** Lists only sources whose best candidate has at least this confidence. */
        minConfidence: number;
        /** Whether sources with two best candidates of equal confidence are in `ambiguous` instead of `items`. */
        excludesAmbiguous: boolean;
        isSortedByConfidence: boolean;
        page: number;
        pageSize: number;
      };
}

export const Progress = z.object({ done: z.number(), total: z.number() });
export type Progress = z.infer<typeof Progress>;

export type Answer<Kind extends Question['about']['kind']> = {
  some: { candidates: Candidate[][]; bounded: boolean };
  /** `suggested` is the number of sources with an equal candidate. */
  preview: { items: (LabelledValue & { candidates: Candidate[] })[]; suggested: number; sourceValues: number };
  all: {
    items: (ListedSource & { candidates: Candidate[] })[];
    total: number;
    ambiguous: { total: number; examples: string[] };
    bounded: boolean;
    /** Null when all sources are compared. */
    progress: Progress | null;
  };
}[Kind];

export interface Matching {
  answer<Kind extends Question['about']['kind']>(question: Question & { about: { kind: Kind } }): Promise<Answer<Kind>>;
  close(): Promise<void>;
}

/** After this time, a question about a whole data set is answered with the results so far and the progress. */
const ANSWER_TIMEOUT_MS = 1_000;
const EXAMPLES = 5;

export function createMatching(read: RunStatement, timeoutMs = ANSWER_TIMEOUT_MS): Matching {
  const inputs = openMatchingInputs(read);
  const results = openWholeResults(read, inputs);

  async function findSome(question: Question, sources: readonly LabelledValue[]): Promise<Answer<'some'>> {
    const [{ index, bounded }, priorMappings] = await inputs.targetsAndPrior(question);
    const dismissed = await inputs.dismissed(question);
    const candidates = sources.map((source) =>
      index.suggest(source, question.threshold, {
        priorMappings: priorMappings.get(source.value),
        dismissed: dismissed.get(source.value),
      }),
    );
    return { candidates, bounded };
  }

  /** Returns up to `maxItems` sources: first those with an equal candidate, then those with similar candidates. */
  async function preview(question: Question, statement: Statement, maxItems: number): Promise<Answer<'preview'>> {
    const [{ index }] = await inputs.targetsAndPrior(question);
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
      if (best ? equal.length < maxItems : equal.length + similar.length < maxItems) {
        const candidates = index.suggest(source, question.threshold);
        if (candidates.length > 0) (best ? equal : similar).push({ ...source, candidates });
      }
    }
    return { items: [...equal, ...similar].slice(0, maxItems), suggested, sourceValues: sources.length };
  }

  async function findAll(question: Question, about: Question['about'] & { kind: 'all' }): Promise<Answer<'all'>> {
    const { subject, sources, list } = about;
    const result = await results.find(question, subject, sources);
    let isDone = false;
    const finished = result.finished.then(() => {
      isDone = true;
    });
    await Promise.race([finished, pause(timeoutMs)]);
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
          return (await preview(question, about.sources, about.maxItems)) as never;
        case 'all':
          return (await findAll(question, about)) as never;
      }
    },
    close: () => results.close(),
  };
}

/**
 * A candidate with at least this confidence equals the source except for case, accents and punctuation. This is true
 * only in previews, because previews use no mappings of other crosswalks.
 */
const EQUAL_CONFIDENCE = 85;

function listPage(
  { places, bestCandidates, dismissals }: WholeResult,
  rows: readonly ListedSource[],
  { minConfidence, excludesAmbiguous, isSortedByConfidence, page, pageSize }: Question['about'] & { kind: 'all' },
): Pick<Answer<'all'>, 'items' | 'total' | 'ambiguous'> {
  const ambiguous = { total: 0, examples: [] as string[] };
  const items: Answer<'all'>['items'] = [];
  for (const row of rows) {
    const allCandidates = bestCandidates[places.get(row.sourceValue) ?? -1] ?? [];
    // Dismissed candidates are excluded immediately; their replacements are added when they are computed.
    const dismissed = dismissals.get(row.sourceValue);
    const candidates = dismissed
      ? allCandidates.filter(({ targetValue }) => !dismissed.has(targetValue))
      : allCandidates;
    const [best, second] = candidates;
    if (!best || best.confidence < minConfidence) continue;
    if (excludesAmbiguous && second) {
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
