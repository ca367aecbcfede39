/** Finds the numbers of a JSON text that reading would change: a calling system is told, and nothing else is stored unseen. */
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

/** Numbers as short as this, an exponent's letter aside, keep what they say: those need not be read to know it. */
const SHORT = 15;

/** Digits that tell any two numbers apart; many systems write all of them. */
const TELLING_DIGITS = 17;

/** What has none of this, as most bodies do, need not be taken apart: so many digits, or an exponent. */
const SUSPICIOUS = /\d[\d.]{15}|\d[eE][-+\d]/;

/** How much of a number is told back. */
const SHOWN_CHARACTERS = 40;

/** Refuses a body, by way of the parser that reads it. */
export class InexactNumber extends Error {
  constructor(text: string) {
    const shown = text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text;
    super(`${shown} is more than a number keeps: round it, or send it as text to a string field`);
  }
}

/** The first number that would be another once read; undefined where all say what they said. */
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
      // What is no number at all, the parser tells.
      if (!Number.isNaN(value) && !isExact(text, value)) return text;
    }
  }
  return undefined;
}

/** Most long numbers are what a program like this one wrote: those are told apart first. */
const isExact = (text: string, value: number): boolean =>
  text === String(value) ||
  (Number.isFinite(value) && (keepsDigits(text, value) || keepsDigits(text, value, TELLING_DIGITS)));

/** Where a text ends: at a quote that is not escaped, else behind the last byte. */
function closingQuote(json: Buffer, from: number): number {
  let at = from;
  while (at < json.length && json[at] !== QUOTE) at += json[at] === BACKSLASH ? 2 : 1;
  return at;
}
