/** Splits a JSON document into the objects of its lists and of lists nested in them. */
import { RECORD_CHARACTERS_MAX, Refusal } from '@rdm/contracts';
import type { JsonElement } from './json-records.ts';
import { jsonRefusal } from './json-splitter.ts';

const DEPTH_MAX = 1_000;
const KEY_CHARACTERS_MAX = 1_000;

/** An object of one of the splitter's lists, or the document. In `text`, the splitter's lists are empty. */
export interface ListedObject extends JsonElement {
  /** The path of the list that contains the object, such as "compose.include.concept"; empty for the document. */
  list: string;
  /** The object that contains the list; undefined for the document and for outermost objects. */
  parent: ListedObject | undefined;
}

/**
 * An object or array whose end has not been read. A path has a key once if the key repeats directly below itself: a
 * concept in a concept has the path of the outer concept.
 */
interface Container {
  path: string;
  isArray: boolean;
  /** Whether the container is a list or an object in a list. */
  isListed: boolean;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = ['"', '\\', ',', ':'].map((each) => each.charCodeAt(0));
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = ['{', '}', '[', ']'].map((each) => each.charCodeAt(0));
const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const pathOf = (outer: string, key: string): string => {
  if (outer === '') return key;
  return outer === key || outer.endsWith(`.${key}`) ? outer : `${outer}.${key}`;
};

/** Takes a document in pieces. Returns each outermost object when it is complete, followed by its nested objects. */
export class NestedSplitter {
  readonly #lists: ReadonlySet<string>;
  readonly #open: Container[] = [];
  readonly #document: ListedObject = newObject('', undefined);
  /** The innermost open object; undefined between the objects of a list. */
  #current: ListedObject | undefined = this.#document;
  /** The object that contains the current list. */
  #holder: ListedObject = this.#document;
  #pending: ListedObject[] = [];
  #isInString = false;
  #isEscaped = false;
  /** Whether the next string is a key. */
  #isKey = false;
  #key = '';
  /** Whether an object can follow: at the start of a list and after a comma. */
  #isSeparated = true;
  #isComplete = false;

  /** `lists` are the paths of the lists to split. */
  constructor(lists: ReadonlySet<string>) {
    this.#lists = lists;
  }

  push(text: string): ListedObject[] {
    /** The start of the text that was not yet appended to the current object. */
    let begin = 0;
    const take = (until: number) => {
      if (this.#current) append(this.#current, text.slice(begin, until));
      begin = until;
    };
    let complete: ListedObject[] = [];
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isInString) {
        this.#readString(text, at, code);
        continue;
      }
      if (isSpace(code)) continue;
      if (this.#isComplete) throw jsonRefusal('text follows the end of the document');
      const top = this.#open.at(-1);
      if (!this.#current) this.#requireSeparated(code);
      switch (code) {
        case QUOTE:
          this.#isInString = true;
          if (this.#isKey) this.#key = '';
          break;
        case COMMA:
          this.#isKey = top?.isArray === false;
          break;
        case COLON:
          this.#isKey = false;
          break;
        case OPEN_OBJECT: {
          const isListed = top?.isArray === true && top.isListed;
          this.#enter({ path: this.#pathIn(top), isArray: false, isListed });
          if (isListed) {
            begin = at;
            this.#begin(top.path);
          }
          this.#isKey = true;
          break;
        }
        case OPEN_ARRAY: {
          const path = this.#pathIn(top);
          const isListed = top?.isArray === false && this.#lists.has(path);
          this.#enter({ path, isArray: true, isListed });
          if (!isListed) break;
          take(at + 1);
          this.#holder = this.#current as ListedObject;
          this.#current = undefined;
          this.#isSeparated = true;
          break;
        }
        case CLOSE_OBJECT:
        case CLOSE_ARRAY: {
          if (!top || top.isArray !== (code === CLOSE_ARRAY))
            throw jsonRefusal(`a "${text[at]}" has no opening bracket`);
          this.#open.pop();
          this.#isKey = false;
          if (top.isListed && top.isArray) {
            this.#current = this.#holder;
            begin = at;
          } else if (top.isListed) {
            take(at + 1);
            complete = complete.concat(this.#end());
          }
          this.#isComplete = this.#open.length === 0;
          break;
        }
      }
    }
    take(text.length);
    return complete;
  }

  /** Returns the document without the objects of its lists. Throws if the document is incomplete. */
  end(): ListedObject {
    if (!this.#isComplete) throw new Refusal('INVALID', 'The file is incomplete: upload it again.');
    return this.#document;
  }

  #readString(text: string, at: number, code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === BACKSLASH) this.#isEscaped = true;
    else if (code === QUOTE) {
      this.#isInString = false;
      return;
    }
    if (this.#isKey && this.#key.length < KEY_CHARACTERS_MAX) this.#key += text[at];
  }

  #pathIn(container: Container | undefined): string {
    if (!container) return '';
    return container.isArray ? container.path : pathOf(container.path, this.#key);
  }

  #enter(container: Container): void {
    this.#open.push(container);
    if (this.#open.length > DEPTH_MAX) {
      throw jsonRefusal(`values are nested more than ${DEPTH_MAX.toLocaleString('en')} times`);
    }
  }

  /** Throws for anything but single commas between the objects of a list. */
  #requireSeparated(code: number): void {
    if (code === COMMA && !this.#isSeparated) this.#isSeparated = true;
    else if (code === OPEN_OBJECT && this.#isSeparated) this.#isSeparated = false;
    else if (code !== CLOSE_ARRAY) throw jsonRefusal('a list has something other than objects between commas');
  }

  #begin(list: string): void {
    const parent = this.#holder === this.#document ? undefined : this.#holder;
    this.#current = newObject(list, parent);
    this.#pending.push(this.#current);
  }

  /** Ends the current object. Returns all pending objects if the current object is outermost; else none. */
  #end(): ListedObject[] {
    const { parent } = this.#current as ListedObject;
    this.#current = undefined;
    this.#isSeparated = false;
    this.#holder = parent ?? this.#document;
    if (parent) return [];
    const complete = this.#pending;
    this.#pending = [];
    return complete;
  }
}

const newObject = (list: string, parent: ListedObject | undefined): ListedObject => ({
  ...{ list, parent, line: 0, text: '', isTooLong: false, depth: 0 },
});

function append(object: ListedObject, text: string): void {
  if (object.list !== '' && object.text.length + text.length > RECORD_CHARACTERS_MAX) object.isTooLong = true;
  else object.text += text;
}
