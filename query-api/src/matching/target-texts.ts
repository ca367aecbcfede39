/** Indexes the texts of targets by trigram and word. Flat arrays need little memory for a hundred thousand rows. */
import { foldedWords, trigrams } from './similarity.ts';

/** The role of a text in its row. */
export const KINDS = ['value', 'label', 'synonym'] as const;
export type Kind = (typeof KINDS)[number];

/** A growing `Int32Array`. */
class IntegerList {
  #values = new Int32Array(1_024);
  length = 0;

  push(number: number): void {
    if (this.length === this.#values.length) {
      const larger = new Int32Array(this.#values.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length] = number;
    this.length += 1;
  }

  toArray(): Int32Array {
    return this.#values.slice(0, this.length);
  }
}

/** The terms of each text, and the texts of each term. */
class Occurrences {
  /** The terms of a text: `terms` from `starts[text]` to `starts[text + 1]`. */
  readonly starts: Int32Array;
  readonly terms: Int32Array;
  /** The texts of a term: `holders` from `from[term]` to `from[term + 1]`. */
  readonly from: Int32Array;
  readonly holders: Int32Array;
  readonly ids: ReadonlyMap<string, number>;

  constructor(ids: ReadonlyMap<string, number>, starts: Int32Array, terms: Int32Array) {
    this.ids = ids;
    this.starts = starts;
    this.terms = terms;
    this.from = new Int32Array(ids.size + 1);
    for (const term of terms) this.from[term + 1] = (this.from[term + 1] as number) + 1;
    for (let term = 0; term < ids.size; term++) {
      this.from[term + 1] = (this.from[term + 1] as number) + (this.from[term] as number);
    }
    this.holders = new Int32Array(terms.length);
    const nextPlaces = this.from.slice();
    for (let text = 0; text + 1 < starts.length; text++) {
      for (let at = starts[text] as number; at < (starts[text + 1] as number); at++) {
        const term = terms[at] as number;
        const place = nextPlaces[term] as number;
        this.holders[place] = text;
        nextPlaces[term] = place + 1;
      }
    }
  }

  /** The number of texts with a term. */
  count(term: number): number {
    return (this.from[term + 1] as number) - (this.from[term] as number);
  }

  size(text: number): number {
    return (this.starts[text + 1] as number) - (this.starts[text] as number);
  }
}

class OccurrencesBuilder {
  readonly #ids = new Map<string, number>();
  readonly #starts = new IntegerList();
  readonly #terms = new IntegerList();

  add(terms: Iterable<string>): void {
    this.#starts.push(this.#terms.length);
    for (const term of terms) {
      let id = this.#ids.get(term);
      if (id === undefined) {
        id = this.#ids.size;
        this.#ids.set(term, id);
      }
      this.#terms.push(id);
    }
  }

  build(): Occurrences {
    this.#starts.push(this.#terms.length);
    return new Occurrences(this.#ids, this.#starts.toArray(), this.#terms.toArray());
  }
}

/** A folded text. `words` and `trigrams` are distinct; `key` has all words in order, without spaces. */
export interface FoldedText {
  words: string[];
  trigrams: Set<string>;
  key: string;
}

export function fold(text: string): FoldedText {
  const words = foldedWords(text);
  const distinct = [...new Set(words)];
  return { words: distinct, trigrams: trigrams(distinct), key: words.join('') };
}

export interface TargetTexts {
  size: number;
  /** For each text: its target, its kind and the text itself. */
  targets: Int32Array;
  kinds: Uint8Array;
  texts: readonly string[];
  keyOf(text: number): string;
  /** Returns the texts with this key; none for an empty key. */
  withKey(key: string): readonly number[];
  trigrams: Occurrences;
  words: Occurrences;
  /** Returns the weight of a word, which is higher for a rarer word. `undefined` is a word that no text has. */
  weight(word: number | undefined): number;
  /** Returns the sum of the weights of the words of a text. */
  weightOf(text: number): number;
}

/** Indexes texts, each given as target, kind and text. */
export function indexTexts(rows: Iterable<readonly [target: number, kind: Kind, text: string]>): TargetTexts {
  const [targets, kinds] = [new IntegerList(), new IntegerList()];
  const texts: string[] = [];
  const keys: string[] = [];
  const byKey = new Map<string, number[]>();
  const [trigramBuilder, wordBuilder] = [new OccurrencesBuilder(), new OccurrencesBuilder()];
  for (const [target, kind, text] of rows) {
    const folded = fold(text);
    const place = texts.push(text) - 1;
    targets.push(target);
    kinds.push(KINDS.indexOf(kind));
    keys.push(folded.key);
    trigramBuilder.add(folded.trigrams);
    wordBuilder.add(folded.words);
    if (folded.key === '') continue;
    const withSameKey = byKey.get(folded.key);
    if (withSameKey) withSameKey.push(place);
    else byKey.set(folded.key, [place]);
  }
  const [ofTrigrams, ofWords] = [trigramBuilder.build(), wordBuilder.build()];
  const weights = new Float64Array(ofWords.ids.size);
  for (let word = 0; word < weights.length; word++) weights[word] = Math.log(1 + texts.length / ofWords.count(word));
  const unknownWeight = Math.log(1 + texts.length);
  const weight = (word: number | undefined) => (word === undefined ? unknownWeight : (weights[word] as number));
  const textWeights = new Float64Array(texts.length);
  for (let text = 0; text < texts.length; text++) {
    for (let at = ofWords.starts[text] as number; at < (ofWords.starts[text + 1] as number); at++) {
      textWeights[text] = (textWeights[text] as number) + weight(ofWords.terms[at]);
    }
  }
  return {
    size: texts.length,
    targets: targets.toArray(),
    kinds: Uint8Array.from(kinds.toArray()),
    texts,
    keyOf: (text) => keys[text] as string,
    withKey: (key) => (key === '' ? [] : (byKey.get(key) ?? [])),
    trigrams: ofTrigrams,
    words: ofWords,
    weight,
    weightOf: (text) => textWeights[text] as number,
  };
}
