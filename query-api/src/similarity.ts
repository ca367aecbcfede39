/** How alike two texts are to a person: folding, trigrams and words, and why one is suggested for the other. */

/** What two texts may differ in and still be called the same. */
const DIFFERENCES = ['case', 'accents', 'punctuation', 'spaces'] as const;
type Difference = (typeof DIFFERENCES)[number];

/** Letters that no Unicode decomposition takes apart, as people type them without their keyboard. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ς: 'σ',
};
const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');
const ACCENTS = /[\u0300-\u036f]/gu;
const PUNCTUATION = /\p{P}+/gu;
const SPACES = /[\p{Z}\p{C}]+/gu;
const SIMPLE = /^[a-z0-9]*$/;

/** Folds all differences but those that `keep` names. */
function foldBut(text: string, keep?: Difference): string {
  let folded = text.normalize('NFKD');
  if (keep !== 'case') folded = folded.toLowerCase().normalize('NFKD');
  if (keep !== 'accents') {
    folded = folded.replace(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter).replace(ACCENTS, '');
  }
  if (keep !== 'punctuation') folded = folded.replaceAll('&', ' and ').replace(PUNCTUATION, ' ');
  return folded.replace(SPACES, keep === 'spaces' ? ' ' : '').trim();
}

/** The text in words of plain lower-case letters, digits and symbols: accents gone, punctuation become a space. */
export function foldedWords(text: string): string[] {
  if (SIMPLE.test(text)) return text === '' ? [] : [text];
  const folded = foldBut(text, 'spaces');
  return folded === '' ? [] : folded.split(' ');
}

/** What two texts differ in, where folding makes them one: `case and spaces`. */
export function apartFrom(a: string, b: string): string {
  const differences = DIFFERENCES.filter((difference) => foldBut(a, difference) !== foldBut(b, difference));
  const last = differences.at(-1) ?? 'spelling';
  return differences.length > 1 ? `${differences.slice(0, -1).join(', ')} and ${last}` : last;
}

/** Trigrams of words as PostgreSQL's pg_trgm has them: each word padded by two spaces before and one after. */
export function trigrams(words: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const word of words) {
    const letters = [' ', ' ', ...word, ' '];
    for (let start = 0; start + 3 <= letters.length; start++) found.add(letters.slice(start, start + 3).join(''));
  }
  return found;
}

/** Shared of all, for sets of known sizes: 0 to 1. */
const shareOf = (shared: number, a: number, b: number): number => (shared === 0 ? 0 : shared / (a + b - shared));

/** How many trigrams two texts share of all they have: 0 to 1, as pg_trgm's `similarity`. */
export function trigramSimilarity(a: string, b: string): number {
  const [ours, theirs] = [trigrams(foldedWords(a)), trigrams(foldedWords(b))];
  let shared = 0;
  for (const trigram of ours) if (theirs.has(trigram)) shared += 1;
  return shareOf(shared, ours.size, theirs.size);
}

/** A value of a data set and what its row is called, where it has a label. */
export interface Named {
  value: string;
  label: string | null;
}

export interface Candidate {
  targetValue: string;
  targetLabel: string | null;
  /** 0 to 100. */
  confidence: number;
  /** Why, in words for people. */
  reason: string;
}

/** Confidence of what is the same; likeness alone never reaches the least of them. */
const SAME_VALUE = 100;
const SAME_FOLDED_VALUE = 95;
const SAME_LABEL = 90;
const SAME_FOLDED_LABEL = 85;
const MOST_ALIKE = 84;
/** What several targets answer to alike is for a person to choose. */
const AMBIGUOUS = 60;
export const CANDIDATES_MAX = 5;

/** Codes this short resemble one another by chance: where both rows have labels, the labels decide. */
const SHORT_CODE = 4;
/** A text that is wholly part of another is at least this alike. */
const PART_OF = 0.6;

/** A text of a target: its value or its label. */
interface Entry {
  target: number;
  isLabel: boolean;
  text: string;
  key: string;
  trigramCount: number;
  wordWeight: number;
}

export interface TargetIndex {
  /** The best candidates for a source, best first, none below `threshold` (0 to 100). */
  suggest(source: Named, threshold: number): Candidate[];
  /** Those among them that are the same but for spelling: quick, for whole sets. */
  same(source: Named): Candidate[];
}

/** Indexes targets once, so that finding the candidates of a source costs what it shares with them. */
export function indexTargets(targets: readonly Named[]): TargetIndex {
  const entries: Entry[] = [];
  const byValue = new Map<string, number>();
  const byKey = new Map<string, number[]>();
  const byTrigram = new Map<string, number[]>();
  const byWord = new Map<string, number[]>();
  targets.forEach(({ value, label }, target) => {
    byValue.set(value, target);
    add(target, value, false);
    if (label !== null && label !== value) add(target, label, true);
  });
  const weightOf = (word: string) => Math.log(1 + entries.length / (byWord.get(word)?.length ?? 1));
  for (const [word, holders] of byWord) {
    const weight = weightOf(word);
    for (const holder of holders) (entries[holder] as Entry).wordWeight += weight;
  }
  const sharedTrigrams = new Uint16Array(entries.length);
  const sharedWeight = new Float64Array(entries.length);

  function add(target: number, text: string, isLabel: boolean): void {
    const words = foldedWords(text);
    const found = trigrams(words);
    const entry = entries.push({
      target,
      isLabel,
      text,
      key: words.join(''),
      trigramCount: found.size,
      wordWeight: 0,
    });
    const key = words.join('');
    if (key !== '') list(byKey, key).push(entry - 1);
    for (const trigram of found) list(byTrigram, trigram).push(entry - 1);
    for (const word of new Set(words)) list(byWord, word).push(entry - 1);
  }

  function same(source: Named): Candidate[] {
    const best = new Map<number, Candidate>();
    const exact = byValue.get(source.value);
    if (exact !== undefined) offer(best, exact, SAME_VALUE, 'Same value');
    for (const { text, isLabel } of textsOf(source)) {
      const alike = (byKey.get(foldedWords(text).join('')) ?? []).map((index) => entries[index] as Entry);
      const targetsOf = (some: Entry[]) => new Set(some.map((entry) => entry.target)).size;
      const [rivals, exactRivals] = [targetsOf(alike), targetsOf(alike.filter((entry) => entry.text === text))];
      for (const entry of alike) {
        if (!isLabel && !entry.isLabel && text === entry.text) continue;
        const grade = sameness(text, isLabel, entry);
        const contenders = entry.text === text ? exactRivals : rivals;
        if (contenders === 1) offer(best, entry.target, grade.confidence, grade.reason);
        else offer(best, entry.target, AMBIGUOUS, `${grade.reason}; ${others(contenders - 1)}`);
      }
    }
    return ranked(best, source);
  }

  function suggest(source: Named, threshold: number): Candidate[] {
    const best = new Map(same(source).map((candidate) => [byValue.get(candidate.targetValue) as number, candidate]));
    if (threshold <= MOST_ALIKE) {
      for (const { text, isLabel } of textsOf(source)) alike(source, text, isLabel, threshold, best);
    }
    return ranked(best, source).filter((candidate) => candidate.confidence >= threshold);
  }

  /** Offers every target that shares trigrams or words with the text, by its likeness. */
  function alike(source: Named, text: string, isLabel: boolean, threshold: number, best: Map<number, Candidate>): void {
    const words = [...new Set(foldedWords(text))];
    const ours = trigrams(words);
    const key = foldedWords(text).join('');
    const touched: number[] = [];
    for (const trigram of ours) {
      for (const index of byTrigram.get(trigram) ?? []) {
        if (sharedTrigrams[index] === 0) touched.push(index);
        sharedTrigrams[index] = (sharedTrigrams[index] as number) + 1;
      }
    }
    let weight = 0;
    for (const word of words) {
      const each = weightOf(word);
      weight += each;
      for (const index of byWord.get(word) ?? []) sharedWeight[index] = (sharedWeight[index] as number) + each;
    }
    for (const index of touched) {
      const entry = entries[index] as Entry;
      const shared = sharedWeight[index] as number;
      const byLetters = shareOf(sharedTrigrams[index] as number, ours.size, entry.trigramCount);
      sharedTrigrams[index] = 0;
      sharedWeight[index] = 0;
      if (entry.key === key) continue;
      const byWords = shareOf(shared, weight, entry.wordWeight);
      const isPart = isWhollyPart(shared, weight, entry.wordWeight);
      let score = Math.max(byLetters, byWords, isPart ? PART_OF + (MOST_ALIKE / 100 - PART_OF) * byWords : 0);
      if (!isLabel && !entry.isLabel && isShortCode(source, entry, key)) score /= 2;
      const confidence = Math.min(MOST_ALIKE, Math.round(score * 100));
      if (confidence < threshold || confidence <= (best.get(entry.target)?.confidence ?? -1)) continue;
      offer(best, entry.target, confidence, likeness(text, entry.text, byWords, isPart));
    }
  }

  /** All words of one are in the other, and among them one that is not in every other text. */
  const isWhollyPart = (shared: number, ours: number, theirs: number): boolean =>
    shared > 0 && shared >= Math.min(ours, theirs) - 1e-9 && shared >= Math.log(1 + entries.length) / 2;

  function isShortCode(source: Named, entry: Entry, key: string): boolean {
    const labelled = source.label !== null && (targets[entry.target] as Named).label !== null;
    return labelled && Math.min(key.length, entry.key.length) <= SHORT_CODE;
  }

  function offer(best: Map<number, Candidate>, target: number, confidence: number, reason: string): void {
    if (confidence <= (best.get(target)?.confidence ?? -1)) return;
    const { value, label } = targets[target] as Named;
    best.set(target, { targetValue: value, targetLabel: label, confidence, reason });
  }

  return { suggest, same };
}

/** A source's texts: its value, and its label where that says something else. */
const textsOf = ({ value, label }: Named): { text: string; isLabel: boolean }[] =>
  label === null || label === value
    ? [{ text: value, isLabel: false }]
    : [
        { text: value, isLabel: false },
        { text: label, isLabel: true },
      ];

/** Confidence and reason for texts that folding makes one. */
function sameness(text: string, isLabel: boolean, entry: Entry): { confidence: number; reason: string } {
  if (!isLabel && !entry.isLabel) {
    return { confidence: SAME_FOLDED_VALUE, reason: `Same value apart from ${apartFrom(text, entry.text)}` };
  }
  const who = isLabel && entry.isLabel ? 'Both say' : isLabel ? 'Its label is the target value' : 'The target says';
  return text === entry.text
    ? { confidence: SAME_LABEL, reason: `${who} “${text}”` }
    : { confidence: SAME_FOLDED_LABEL, reason: `${who} “${entry.text}”, apart from ${apartFrom(text, entry.text)}` };
}

const others = (count: number): string =>
  count === 1 ? 'another target is as close' : `${count} other targets are as close`;

function likeness(ours: string, theirs: string, byWords: number, isPart: boolean): string {
  if (byWords > 1 - 1e-9) return `Same words as “${theirs}”`;
  if (isPart) {
    return ours.length < theirs.length ? `“${ours}” is part of “${theirs}”` : `“${theirs}” is part of “${ours}”`;
  }
  return `“${ours}” resembles “${theirs}”`;
}

/** Best first; the ones of equal confidence by how alike the values are, then by value, so that lists never flicker. */
function ranked(best: ReadonlyMap<number, Candidate>, source: Named): Candidate[] {
  const sorted = [...best.values()].sort((a, b) => b.confidence - a.confidence);
  const least = sorted[CANDIDATES_MAX - 1]?.confidence ?? 0;
  return sorted
    .filter((candidate) => candidate.confidence >= least)
    .map((candidate) => ({ candidate, alike: trigramSimilarity(source.value, candidate.targetValue) }))
    .sort(
      (a, b) =>
        b.candidate.confidence - a.candidate.confidence ||
        b.alike - a.alike ||
        (a.candidate.targetValue < b.candidate.targetValue ? -1 : 1),
    )
    .slice(0, CANDIDATES_MAX)
    .map(({ candidate }) => candidate);
}

function list(map: Map<string, number[]>, key: string): number[] {
  let held = map.get(key);
  if (!held) {
    held = [];
    map.set(key, held);
  }
  return held;
}
