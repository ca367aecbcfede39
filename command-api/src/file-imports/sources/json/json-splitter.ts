/**
 * Splits a JSON document into the elements of its array, or a text into the objects on its lines, in bounded memory.
 */
import { RECORD_CHARACTERS_MAX, Refusal } from '@rdm/contracts';
import type { JsonElement } from './json-records.ts';

const SPACE = new Set([' ', '\t', '\n', '\r']);
const KEY_CHARACTERS_MAX = 1_000;

export const noObjectsRefusal = () =>
  new Refusal('INVALID', 'This JSON file has no list of objects: put the objects into an array.');
export const jsonRefusal = (reason: string) => new Refusal('INVALID', `The file is not valid JSON: ${reason}.`);

/**
 * Takes a document in pieces and returns the complete elements of its array. The array is the document itself, or the
 * only array among the members of the document.
 */
export class JsonSplitter {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The depth of the elements of the array, once the array has begun. */
  #arrayDepth = 0;
  #arrayKey: string | undefined;
  #isInArray = false;
  #hasRoot = false;
  #isRootObject = false;
  /** The last string directly in the root object; when the array begins, this is its key. */
  #key = '';
  /** The current element. */
  #element = '';
  #length = 0;
  #deepest = 0;
  #isInElement = false;
  #needsComma = false;
  #elementCount = 0;

  push(text: string): JsonElement[] {
    const elements: JsonElement[] = [];
    /** Where the current element begins in this piece. */
    let begin = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text[at] as string;
      if (this.#isInString) {
        this.#readString(character);
        continue;
      }
      if (SPACE.has(character)) continue;
      if (this.#isInArray && this.#depth === this.#arrayDepth) {
        if (character === ',' || character === ']') {
          if (this.#isInElement) elements.push(this.#end(text.slice(begin, at)));
          else if (character === ',' && !this.#needsComma)
            throw jsonRefusal(`element ${this.#elementCount + 1} is missing`);
          this.#needsComma = false;
          if (character === ']') this.#closeArray();
          continue;
        }
        if (!this.#isInElement) {
          if (this.#needsComma) throw jsonRefusal(`a comma is missing after element ${this.#elementCount}`);
          this.#isInElement = true;
          begin = at;
        }
      }
      this.#readStructure(character);
      if (this.#isInElement && this.#depth === this.#arrayDepth && (character === '}' || character === ']')) {
        elements.push(this.#end(text.slice(begin, at + 1)));
        this.#needsComma = true;
      }
    }
    if (this.#isInElement) this.#keep(text.slice(begin));
    return elements;
  }

  /** Throws if the document is incomplete or has no array. */
  end(): void {
    if (this.#isInString || this.#depth > 0 || !this.#hasRoot) {
      throw new Refusal('INVALID', 'The file is incomplete: upload it again.');
    }
    if (this.#arrayKey === undefined) {
      throw noObjectsRefusal();
    }
  }

  #readString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
    if (this.#isInString && this.#isMember && this.#key.length < KEY_CHARACTERS_MAX) this.#key += character;
  }

  /** Whether the current position is directly in the root object, and not in its array. */
  get #isMember(): boolean {
    return this.#isRootObject && this.#depth === 1 && !this.#isInArray;
  }

  #readStructure(character: string): void {
    if (!this.#hasRoot) this.#openRoot(character);
    else if (this.#depth === 0) throw jsonRefusal('text follows the end of the document');
    switch (character) {
      case '"':
        this.#isInString = true;
        if (this.#isMember) this.#key = '';
        break;
      case '{':
      case '[':
        if (character === '[' && this.#isMember) this.#openArray(this.#key);
        this.#depth += 1;
        this.#deepest = Math.max(this.#deepest, this.#depth - this.#arrayDepth);
        break;
      case '}':
      case ']':
        this.#depth -= 1;
        break;
    }
  }

  #openRoot(character: string): void {
    if (character !== '{' && character !== '[') throw jsonRefusal('it begins with neither an object nor an array');
    this.#hasRoot = true;
    this.#isRootObject = character === '{';
    if (character === '[') this.#openArray('');
  }

  #openArray(key: string): void {
    if (this.#arrayKey !== undefined) {
      throw new Refusal(
        'INVALID',
        `This JSON file has several lists, "${this.#arrayKey}" and "${key}": keep the one to import.`,
      );
    }
    this.#arrayKey = key;
    this.#isInArray = true;
    this.#arrayDepth = this.#depth + 1;
  }

  #closeArray(): void {
    this.#depth -= 1;
    this.#isInArray = false;
  }

  #keep(text: string): void {
    this.#length += text.length;
    if (this.#length <= RECORD_CHARACTERS_MAX) this.#element += text;
  }

  #end(text: string): JsonElement {
    this.#keep(text);
    this.#elementCount += 1;
    const element: JsonElement = {
      line: this.#elementCount,
      text: this.#element,
      isTooLong: this.#length > RECORD_CHARACTERS_MAX,
      depth: this.#deepest,
    };
    this.#element = '';
    this.#length = 0;
    this.#deepest = 0;
    this.#isInElement = false;
    return element;
  }
}

/** Splits a text into the objects on its lines. */
export class LineSplitter {
  #line = 1;
  #text = '';
  #length = 0;

  push(text: string): JsonElement[] {
    const lines = text.split('\n');
    const last = lines.pop() as string;
    const elements = lines.flatMap((line) => this.#end(line));
    this.#keep(last);
    return elements;
  }

  end(): JsonElement[] {
    return this.#end('');
  }

  #keep(text: string): void {
    this.#length += text.length;
    if (this.#length <= RECORD_CHARACTERS_MAX) this.#text += text;
  }

  #end(text: string): JsonElement[] {
    this.#keep(text);
    const element: JsonElement = {
      line: this.#line,
      text: this.#text.trim(),
      isTooLong: this.#length > RECORD_CHARACTERS_MAX,
      depth: nestingOf(this.#text),
    };
    this.#line += 1;
    this.#text = '';
    this.#length = 0;
    return element.text === '' ? [] : [element];
  }
}

/** How many levels deep the values of a line are nested. */
function nestingOf(text: string): number {
  let [depth, deepest] = [0, 0];
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\' && isInString) at += 1;
    else if (character === '"') isInString = !isInString;
    else if (isInString) continue;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth -= 1;
  }
  return deepest;
}
