/** Finds equal, previously mapped and similar targets for a source value, with confidence and reason. */
import { gradeEquality, MAPPED_BEFORE, otherTargets, SAME_VALUE, SIMILAR_MAX, similarityReason } from './grades.ts';
import { shareOf, trigramSimilarity } from './similarity.ts';
import { type FoldedText, fold, indexTexts, KINDS, type Kind, type TargetTexts } from './target-texts.ts';

/** A value of a data set, with the label and the synonyms of its row. */
export interface LabelledValue {
  value: string;
  label: string | null;
  synonyms?: readonly string[];
}

export interface Candidate {
  targetValue: string;
  targetLabel: string | null;
  /** 0 to 100. */
  confidence: number;
  /** The reason as a text for users. */
  reason: string;
}

/** A served mapping of the same source value in another crosswalk. */
export interface PriorMapping {
  targetValue: string;
  crosswalk: string;
}

/** The confidence of several equally good targets, from which a user has to choose. */
const AMBIGUOUS = 60;
const CANDIDATES_MAX = 5;

/** Codes up to this length can be similar by chance: their similarity counts half if both rows have labels. */
const SHORT_CODE = 4;
/** The factor for the similarity of names with different numbers, such as “Plant 1” and “Plant 16”. */
const OTHER_NUMBER = 0.5;
/** The minimum similarity of two texts if one contains all words of the other. */
const PART_OF_MIN = 0.6;
/** Maximum number of texts whose shared trigrams are counted, per source text. */
const POSTINGS_MAX = 10_000;
/**
 * Maximum comparisons with texts that share words, per source text. The unused comparisons, but at least half of this
 * number, are for texts that share trigrams.
 */
const COMPARED_MAX = 200;
/** Maximum number of equal texts that are graded, and of candidates that are ordered by similarity. */
const RIVALS_MAX = 50;

/** Earlier decisions of users about a source value. */
export interface SourceKnowledge {
  priorMappings?: readonly PriorMapping[] | undefined;
  /** Dismissed target values, which never become candidates. */
  dismissed?: ReadonlySet<string> | undefined;
}

export interface TargetIndex {
  /** Returns the best candidates for a source, best first, with a confidence of at least `threshold` (0 to 100). */
  suggest(source: LabelledValue, threshold: number, knowledge?: SourceKnowledge): Candidate[];
  /** Returns the best candidate, and a second candidate with the same confidence if there is one. */
  best(source: LabelledValue, threshold: number, knowledge?: SourceKnowledge): Candidate[];
}

interface SourceText {
  text: string;
  kind: Kind;
}

/** Returns the distinct texts of a row: its value, label and synonyms. */
function textsOf({ value, label, synonyms = [] }: LabelledValue): SourceText[] {
  const texts: SourceText[] = [{ text: value, kind: 'value' }];
  if (label !== null && label !== value) texts.push({ text: label, kind: 'label' });
  for (const synonym of synonyms) {
    if (texts.every(({ text }) => text !== synonym)) texts.push({ text: synonym, kind: 'synonym' });
  }
  return texts;
}

function* textsOfTargets(targets: readonly LabelledValue[]): Generator<readonly [number, Kind, string]> {
  for (const [target, named] of targets.entries())
    for (const { text, kind } of textsOf(named)) yield [target, kind, text];
}

/** The best candidates so far, and the confidence needed to be among them. */
class BestCandidates {
  readonly #byTarget = new Map<number, Candidate>();
  readonly #targets: readonly LabelledValue[];
  readonly #threshold: number;
  readonly #maxCandidates: number;
  readonly #dismissed: ReadonlySet<string> | undefined;
  /** The best confidences, lowest first. */
  #top: number[] = [];

  constructor(
    targets: readonly LabelledValue[],
    threshold: number,
    maxCandidates: number,
    dismissed?: ReadonlySet<string>,
  ) {
    this.#targets = targets;
    this.#dismissed = dismissed;
    this.#threshold = threshold;
    this.#maxCandidates = maxCandidates;
  }

  /** The minimum confidence for a new candidate to be among the best. */
  get least(): number {
    return this.#top.length < this.#maxCandidates ? this.#threshold : Math.max(this.#threshold, this.#top[0] as number);
  }

  isDismissed(target: number): boolean {
    return this.#dismissed?.has((this.#targets[target] as LabelledValue).value) ?? false;
  }

  /** Adds a candidate if it is among the best; only then computes its reason. */
  offer(target: number, confidence: number, reason: () => string): void {
    if (confidence < this.least || this.isDismissed(target)) return;
    const previous = this.#byTarget.get(target);
    if (previous && previous.confidence >= confidence) return;
    const { value, label } = this.#targets[target] as LabelledValue;
    this.#byTarget.set(target, { targetValue: value, targetLabel: label, confidence, reason: reason() });
    if (previous) this.#top = [...this.#byTarget.values()].map((each) => each.confidence);
    else this.#top.push(confidence);
    this.#top.sort((a, b) => a - b);
    this.#top = this.#top.slice(-this.#maxCandidates);
  }

  /** Returns the best candidates, ordered by confidence, then similarity of the values, then value. */
  ranked(source: LabelledValue): Candidate[] {
    const { least } = this;
    const candidates = [...this.#byTarget.values()].filter(({ confidence }) => confidence >= least);
    const mostConfident = candidates.sort((a, b) => b.confidence - a.confidence).slice(0, RIVALS_MAX);
    return mostConfident
      .map((candidate) => ({ candidate, similarity: trigramSimilarity(source.value, candidate.targetValue) }))
      .sort(
        (a, b) =>
          b.candidate.confidence - a.candidate.confidence ||
          b.similarity - a.similarity ||
          (a.candidate.targetValue < b.candidate.targetValue ? -1 : 1),
      )
      .slice(0, Math.max(this.#maxCandidates, 2))
      .map(({ candidate }) => candidate);
  }
}

/** Indexes targets, so that a search visits only targets that share rare trigrams or words with the source. */
export function indexTargets(targets: readonly LabelledValue[]): TargetIndex {
  const byValue = new Map(targets.map(({ value }, target) => [value, target]));
  const index = indexTexts(textsOfTargets(targets));
  const compareSimilar = createComparer(index);
  const { texts } = index;
  const kindOf = (text: number) => KINDS[index.kinds[text] as number] as Kind;
  const targetOf = (text: number) => index.targets[text] as number;

  function offerEqual(
    source: LabelledValue,
    ownTexts: readonly (SourceText & FoldedText)[],
    best: BestCandidates,
    dismissed: SourceKnowledge['dismissed'],
  ): void {
    const exact = byValue.get(source.value);
    if (exact !== undefined) best.offer(exact, SAME_VALUE, () => 'Same value');
    for (const { text, kind, key } of ownTexts) {
      // A dismissed target does not make another target with the same text ambiguous.
      const equalTexts = dismissed
        ? index.withKey(key).filter((each) => !best.isDismissed(targetOf(each)))
        : index.withKey(key);
      const comparedRivals = equalTexts.slice(0, RIVALS_MAX);
      const countTargets = (ids: readonly number[]) => new Set(ids.map(targetOf)).size;
      const rivals = equalTexts.length > RIVALS_MAX ? equalTexts.length : countTargets(comparedRivals);
      const exactRivals = countTargets(comparedRivals.filter((each) => texts[each] === text));
      for (const each of comparedRivals) {
        const theirs = texts[each] as string;
        if (kind === 'value' && kindOf(each) === 'value' && text === theirs) continue;
        const grade = gradeEquality(text, kind, theirs, kindOf(each));
        const contenders = theirs === text ? exactRivals : rivals;
        if (contenders === 1) best.offer(targetOf(each), grade.confidence, () => grade.reason);
        else best.offer(targetOf(each), AMBIGUOUS, () => `${grade.reason}; ${otherTargets(contenders - 1)}`);
      }
    }
  }

  function offerPrior({ priorMappings = [], dismissed }: SourceKnowledge, best: BestCandidates): void {
    const offered = priorMappings.filter(({ targetValue }) => !dismissed?.has(targetValue));
    const distinct = new Map(offered.map((each) => [each.targetValue, each]));
    for (const { targetValue, crosswalk } of distinct.values()) {
      const target = byValue.get(targetValue);
      if (target === undefined) continue;
      const reason = `Mapped like this in “${crosswalk}”`;
      if (distinct.size === 1) best.offer(target, MAPPED_BEFORE, () => reason);
      else best.offer(target, AMBIGUOUS, () => `${reason}; other crosswalks map it differently`);
    }
  }

  function offerSimilar(
    source: LabelledValue,
    { text, kind, ...folded }: SourceText & FoldedText,
    best: BestCandidates,
  ): void {
    const numbers = numbersOf(text);
    // A text of numbers alone is a code: similar codes may belong together.
    const isNumberedName = numbers.length > 0 && numbers.length < folded.words.length;
    compareSimilar(folded, best, (other, { byLetters, byWords, isPart }) => {
      if (index.keyOf(other) === folded.key) return;
      let score = Math.max(byLetters, byWords, isPart ? PART_OF_MIN + (SIMILAR_MAX / 100 - PART_OF_MIN) * byWords : 0);
      const target = targetOf(other);
      if (kind === 'value' && kindOf(other) === 'value') {
        const labelled = source.label !== null && (targets[target] as LabelledValue).label !== null;
        if (labelled && Math.min(folded.key.length, index.keyOf(other).length) <= SHORT_CODE) score /= 2;
      }
      const confidenceOf = (score: number) => Math.min(SIMILAR_MAX, Math.round(score * 100));
      const hasOtherNumber =
        isNumberedName &&
        confidenceOf(score) >= best.least &&
        haveOtherNumbers(numbers, numbersOf(texts[other] as string));
      best.offer(target, confidenceOf(hasOtherNumber ? score * OTHER_NUMBER : score), () => {
        const reason = similarityReason([text, kind], [texts[other] as string, kindOf(other)], byWords, isPart);
        return hasOtherNumber ? `${reason}, with another number` : reason;
      });
    });
  }

  function findBest(
    source: LabelledValue,
    threshold: number,
    knowledge: SourceKnowledge,
    maxCandidates: number,
  ): Candidate[] {
    const best = new BestCandidates(targets, threshold, maxCandidates, knowledge.dismissed);
    const ownTexts = textsOf(source).map((each) => ({ ...each, ...fold(each.text) }));
    offerEqual(source, ownTexts, best, knowledge.dismissed);
    offerPrior(knowledge, best);
    // Compare synonyms and labels first: good candidates save most comparisons of codes.
    for (const each of ownTexts.toReversed()) if (best.least <= SIMILAR_MAX) offerSimilar(source, each, best);
    return best.ranked(source);
  }

  return {
    suggest: (source, threshold, knowledge = {}) => findBest(source, threshold, knowledge, CANDIDATES_MAX),
    best(source, threshold, knowledge = {}) {
      const [first, second] = findBest(source, threshold, knowledge, 1);
      return [first, second].filter(
        (each) => each !== undefined && each.confidence === first?.confidence,
      ) as Candidate[];
    },
  };
}

interface TextSimilarity {
  byLetters: number;
  byWords: number;
  /** Whether one text contains all words of the other, and these words are rare enough together. */
  isPart: boolean;
}

/**
 * Returns a function that compares a source with each text that could be similar enough, once and within the limits. It
 * finds texts by rare words, then by rare trigrams, because a text that shares only frequent terms is not similar
 * enough. Among the texts with shared trigrams, those with the most come first.
 */
function createComparer(index: TargetTexts) {
  const { trigrams, words } = index;
  const markedTrigrams = new Uint32Array(trigrams.ids.size);
  const markedWords = new Uint32Array(words.ids.size);
  const visited = new Uint32Array(index.size);
  const shares = new Uint16Array(index.size);
  /** Texts with the same number of shared trigrams, as linked lists. */
  const next = new Int32Array(index.size);
  const touched = new Int32Array(POSTINGS_MAX);
  const rareWeight = Math.log(1 + index.size) / 2;
  let mark = 0;

  function compare(text: number, ours: number, ourWeight: number): TextSimilarity {
    let shared = 0;
    const { starts, terms: ofText } = trigrams;
    for (let at = starts[text] as number; at < (starts[text + 1] as number); at++) {
      if (markedTrigrams[ofText[at] as number] === mark) shared += 1;
    }
    let weight = 0;
    for (let at = words.starts[text] as number; at < (words.starts[text + 1] as number); at++) {
      const word = words.terms[at] as number;
      if (markedWords[word] === mark) weight += index.weight(word);
    }
    const theirWeight = index.weightOf(text);
    return {
      byLetters: shareOf(shared, ours, trigrams.size(text)),
      byWords: shareOf(weight, ourWeight, theirWeight),
      isPart: weight > 0 && weight >= Math.min(ourWeight, theirWeight) - 1e-9 && weight >= rareWeight,
    };
  }

  /**
   * Counts the shared trigrams of each text while `isPossible` returns true: the remaining trigrams can still find a
   * similar text. Returns the counts of texts and trigrams.
   */
  function countShares(trigramIds: readonly number[], isPossible: (used: number) => boolean) {
    let count = 0;
    let used = 0;
    for (; used < trigramIds.length && isPossible(used); used++) {
      const trigram = trigramIds[used] as number;
      if (count + trigrams.count(trigram) > POSTINGS_MAX) break;
      for (let at = trigrams.from[trigram] as number; at < (trigrams.from[trigram + 1] as number); at++) {
        const text = trigrams.holders[at] as number;
        if (shares[text] === 0) {
          touched[count] = text;
          count += 1;
        }
        shares[text] = (shares[text] as number) + 1;
      }
    }
    return { count, used };
  }

  return (
    source: FoldedText,
    best: BestCandidates,
    onCompared: (text: number, similarity: TextSimilarity) => void,
  ): void => {
    mark += 1;
    const ours = source.trigrams.size;
    const trigramIds = [...source.trigrams].flatMap((each) => trigrams.ids.get(each) ?? []);
    const wordIds = source.words.map((word) => words.ids.get(word));
    const ourWeight = wordIds.reduce<number>((sum, word) => sum + index.weight(word), 0);
    const indexedWords = wordIds.filter((word) => word !== undefined);
    for (const each of trigramIds) markedTrigrams[each] = mark;
    for (const each of indexedWords) markedWords[each] = mark;
    let comparisonsLeft = COMPARED_MAX;
    const visit = (text: number) => {
      if (visited[text] === mark) return;
      visited[text] = mark;
      comparisonsLeft -= 1;
      onCompared(text, compare(text, ours, ourWeight));
    };
    const isEnough = (score: number) => Math.round(score * 100) >= best.least;

    indexedWords.sort((a, b) => words.count(a) - words.count(b));
    let remainingWeight = indexedWords.reduce((sum, word) => sum + index.weight(word), 0);
    for (const word of indexedWords) {
      const share = remainingWeight / ourWeight;
      const part = remainingWeight >= rareWeight - 1e-9 ? PART_OF_MIN + (SIMILAR_MAX / 100 - PART_OF_MIN) * share : 0;
      if (!isEnough(Math.max(share, part))) break;
      for (let at = words.from[word] as number; at < (words.from[word + 1] as number) && comparisonsLeft > 0; at++) {
        visit(words.holders[at] as number);
      }
      remainingWeight -= index.weight(word);
    }

    trigramIds.sort((a, b) => trigrams.count(a) - trigrams.count(b));
    const { count, used } = countShares(trigramIds, (already) => isEnough((trigramIds.length - already) / ours));
    const chains: number[] = [];
    for (let at = 0; at < count; at++) {
      const text = touched[at] as number;
      const shared = shares[text] as number;
      shares[text] = 0;
      next[text] = chains[shared] ?? -1;
      chains[shared] = text;
    }
    comparisonsLeft = Math.max(comparisonsLeft, COMPARED_MAX / 2);
    for (let shared = chains.length - 1; shared > 0 && comparisonsLeft > 0; shared--) {
      if (!isEnough((shared + trigramIds.length - used) / ours)) break;
      for (let text = chains[shared] ?? -1; text >= 0 && comparisonsLeft > 0; text = next[text] as number) visit(text);
    }
  };
}

const NUMBERS = /(?<![\p{L}\d])\d+(?![\p{L}\d])/gu;
const LEADING_ZEROS = /^0+(?=\d)/;

/** The numbers among the words of a text, without leading zeros. */
const numbersOf = (text: string): readonly string[] =>
  text.match(NUMBERS)?.map((number) => number.replace(LEADING_ZEROS, '')) ?? [];

/** Whether each text has a number that the other lacks. A text with additional numbers alone can be more precise. */
const haveOtherNumbers = (ours: readonly string[], theirs: readonly string[]): boolean =>
  ours.some((number) => !theirs.includes(number)) && theirs.some((number) => !ours.includes(number));
