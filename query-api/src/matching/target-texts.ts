/** An inverted index of the targets' texts by trigram and word, in flat arrays, which suit a hundred thousand rows. */
import { foldedWords, trigrams } from './similarity.ts';

/** The role of a text in its row. */
export const KINDS = ['value', 'label', 'synonym'] as const;
export type Kind = (typeof KINDS)[number];

/** A growing array of integers, without an object for each. */
class Numbers {
  #held = new Int32Array(1_024);
  length = 0;

  push(number: number): void {
    if (this.length === this.#held.length) {
      const larger = new Int32Array(this.#held.length * 2);
      larger.set(this.#held);
      this.#held = larger;
    }
    this.#held[this.length] = number;
    this.length += 1;
  }

  taken(): Int32Array {
    return this.#held.slice(0, this.length);
  }
}

/** The terms of each text, and the texts of each term. */
class Occurrences {
  /** The terms of a text: `held` from `starts[text]` to `starts[text + 1]`. */
  readonly starts: Int32Array;
  readonly held: Int32Array;
  /** The texts of a term: `holders` from `from[term]` to `from[term + 1]`. */
  readonly from: Int32Array;
  readonly holders: Int32Array;
  readonly ids: ReadonlyMap<string, number>;

  constructor(ids: ReadonlyMap<string, number>, starts: Int32Array, held: Int32Array) {
    this.ids = ids;
    this.starts = starts;
    this.held = held;
    this.from = new Int32Array(ids.size + 1);
    for (const thing of held) this.from[thing + 1] = (this.from[thing + 1] as number) + 1;
    for (let thing = 0; thing < ids.size; thing++) {
      this.from[thing + 1] = (this.from[thing + 1] as number) + (this.from[thing] as number);
    }
    this.holders = new Int32Array(held.length);
    const next = this.from.slice();
    for (let text = 0; text + 1 < starts.length; text++) {
      for (let at = starts[text] as number; at < (starts[text + 1] as number); at++) {
        const thing = held[at] as number;
        const place = next[thing] as number;
        this.holders[place] = text;
        next[thing] = place + 1;
      }
    }
  }

  /** The number of texts with a term. */
  count(thing: number): number {
    return (this.from[thing + 1] as number) - (this.from[thing] as number);
  }

  size(text: number): number {
    return (this.starts[text + 1] as number) - (this.starts[text] as number);
  }
}

class Gathering {
  readonly #ids = new Map<string, number>();
  readonly #starts = new Numbers();
  readonly #held = new Numbers();

  add(things: Iterable<string>): void {
    this.#starts.push(this.#held.length);
    for (const thing of things) {
      let id = this.#ids.get(thing);
      if (id === undefined) {
        id = this.#ids.size;
        this.#ids.set(thing, id);
      }
      this.#held.push(id);
    }
  }

  done(): Occurrences {
    this.#starts.push(this.#held.length);
    return new Occurrences(this.#ids, this.#starts.taken(), this.#held.taken());
  }
}

/** A folded text: its distinct words and trigrams, and a key without any differences. */
export interface Folded {
  words: string[];
  trigrams: Set<string>;
  key: string;
}

export function fold(text: string): Folded {
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
  /** The texts with this folded key. */
  withKey(key: string): readonly number[];
  trigrams: Occurrences;
  words: Occurrences;
  /** The weight of a word, by its rarity; undefined stands for a word that no text has. */
  weight(word: number | undefined): number;
  /** The weight of all words of a text. */
  weightOf(text: number): number;
}

/** Indexes texts, each given as target, kind and text. */
export function indexTexts(told: Iterable<readonly [target: number, kind: Kind, text: string]>): TargetTexts {
  const [targets, kinds] = [new Numbers(), new Numbers()];
  const texts: string[] = [];
  const keys: string[] = [];
  const byKey = new Map<string, number[]>();
  const [gatheredTrigrams, gatheredWords] = [new Gathering(), new Gathering()];
  for (const [target, kind, text] of told) {
    const folded = fold(text);
    const place = texts.push(text) - 1;
    targets.push(target);
    kinds.push(KINDS.indexOf(kind));
    keys.push(folded.key);
    gatheredTrigrams.add(folded.trigrams);
    gatheredWords.add(folded.words);
    if (folded.key === '') continue;
    const alike = byKey.get(folded.key);
    if (alike) alike.push(place);
    else byKey.set(folded.key, [place]);
  }
  const [ofTrigrams, ofWords] = [gatheredTrigrams.done(), gatheredWords.done()];
  const weights = new Float64Array(ofWords.ids.size);
  for (let word = 0; word < weights.length; word++) weights[word] = Math.log(1 + texts.length / ofWords.count(word));
  const unknown = Math.log(1 + texts.length);
  const weight = (word: number | undefined) => (word === undefined ? unknown : (weights[word] as number));
  const ofTexts = new Float64Array(texts.length);
  for (let text = 0; text < texts.length; text++) {
    for (let at = ofWords.starts[text] as number; at < (ofWords.starts[text + 1] as number); at++) {
      ofTexts[text] = (ofTexts[text] as number) + weight(ofWords.held[at]);
    }
  }
  return {
    size: texts.length,
    targets: targets.taken(),
    kinds: Uint8Array.from(kinds.taken()),
    texts,
    keyOf: (text) => keys[text] as string,
    withKey: (key) => (key === '' ? [] : (byKey.get(key) ?? [])),
    trigrams: ofTrigrams,
    words: ofWords,
    weight,
    weightOf: (text) => ofTexts[text] as number,
  };
}
