/** Finds numbers of a JSON text that parsing would change, so that no changed number is stored. */
import { keepsDigits } from '@rdm/contracts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const SMALL_E = 0x65;
const LARGE_E = 0x45;
const ZERO = 0x30;
const NINE = 0x39;
const IN_NUMBERS = new Uint8Array(256);
for (const byte of Buffer.from('0123456789.eE+-')) IN_NUMBERS[byte] = 1;

/** Numbers of at most this many characters and without an exponent keep their value, so they need no check. */
const SHORT = 15;

/** The number of digits that distinguish any two doubles. Many systems write this many digits. */
const DISTINGUISHING_DIGITS = 17;

/** Matches many digits or an exponent. Only a body with such a number is scanned. */
const SUSPICIOUS = /\d[\d.]{15}|\d[eE][-+\d]/;

/** The number of characters of a number that a message quotes. */
const SHOWN_CHARACTERS = 40;

/** Reports a number that parsing would change. The JSON parser refuses a body with such a number. */
export class InexactNumber extends Error {
  constructor(text: string) {
    const quoted = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
    super(`${quoted} cannot be stored exactly as a number: round it, or send it as text to a string field`);
  }
}

/** Returns the first number that parsing would change; undefined if there is none. */
export function inexactNumber(json: Buffer): string | undefined {
  if (!SUSPICIOUS.test(json.toString('latin1'))) return undefined;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (byte === QUOTE) at = closingQuote(json, at + 1);
    else if (byte === MINUS || (byte >= ZERO && byte <= NINE)) {
      const from = at;
      let hasExponent = false;
      for (let next = json[at + 1]; next !== undefined && IN_NUMBERS[next] === 1; next = json[at + 1]) {
        hasExponent ||= next === SMALL_E || next === LARGE_E;
        at += 1;
      }
      if (at - from < SHORT && !hasExponent) continue;
      const text = json.toString('latin1', from, at + 1);
      const value = Number(text);
      // The parser refuses invalid numbers.
      if (!Number.isNaN(value) && !isExact(text, value)) return text;
    }
  }
  return undefined;
}

/** Whether a number keeps its value. First compares the notation of JavaScript, the most frequent notation. */
const isExact = (text: string, value: number): boolean =>
  text === String(value) ||
  (Number.isFinite(value) && (keepsDigits(text, value) || keepsDigits(text, value, DISTINGUISHING_DIGITS)));

/** Returns the position of the quotation mark that ends a string; without one, a position after the last byte. */
function closingQuote(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
