/** Parses JSON that users write; error messages have the line and column. */
import { Refusal } from '../refusal.ts';

/** Parses a JSON document; refuses any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const before = text.slice(0, errorPosition(text));
    const line = before.split('\n').length;
    const column = before.length - before.lastIndexOf('\n');
    // Removes the offset or the excerpt that the parser adds to its message.
    const { message } = error as Error;
    const reason = message.replace(/ in JSON at position \d+.*$|, (?:\.{3})?".* is not valid JSON$/s, '');
    throw new Refusal('INVALID', `The file is not valid JSON at line ${line}, column ${column}: ${reason}`);
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON allows none of them in a string
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y;
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** The kinds of tokens that begin a value: `s` is a string, `v` is another scalar, a bracket is its own kind. */
const VALUE = '{[sv';

/** Returns the position of the first token that JSON does not allow; without one, the end of the text. */
export function errorPosition(text: string): number {
  const open: string[] = [];
  let allowed = VALUE;
  let isName = false;
  const afterValue = () => {
    const inside = open.at(-1);
    allowed = inside === undefined ? '' : inside === '{' ? ',}' : ',]';
  };
  for (let at = 0; ; ) {
    at = endOf(SPACE, text, at) ?? at;
    const [kind, end] = tokenAt(text, at);
    if (kind === '' || !allowed.includes(kind)) return at;
    at = end;
    if (kind === '{' || kind === '[') {
      open.push(kind);
      isName = kind === '{';
      allowed = isName ? 's}' : `${VALUE}]`;
    } else if (kind === ',') {
      isName = open.at(-1) === '{';
      allowed = isName ? 's' : VALUE;
    } else if (kind === ':') allowed = VALUE;
    else if (kind === 's' && isName) {
      isName = false;
      allowed = ':';
    } else {
      if (kind === '}' || kind === ']') open.pop();
      afterValue();
    }
  }
}

/** Returns the kind of the token at a position, and its end. If there is no token, the kind is empty. */
function tokenAt(text: string, at: number): [kind: string, end: number] {
  const character = text[at] ?? '';
  if ('{}[]:,'.includes(character)) return [character, at + 1];
  const end = endOf(character === '"' ? STRING : SCALAR, text, at);
  return end === undefined ? ['', at] : [character === '"' ? 's' : 'v', end];
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}
