/** Tells whether a text fits into its cell, without asking the browser, who would have to lay the whole page out for it. */

const PADDING = 16;
/** No letter of Plex is wider, at the 13 pixels that lists are written in. */
const NARROW = 8.1;
const CAPITAL = 9.5;
const WIDE = 13;

/** Rather no than yes: what is said to fit is not cut. */
export function fits(text: string, width: number): boolean {
  const room = width - PADDING;
  // Longer texts are not looked through.
  if (text.length * 3 > room) return false;
  let taken = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Other writings have letters of any width.
    if (code < 0x20 || code > 0x7e) return false;
    taken += widthOfLetter(code);
    if (taken > room) return false;
  }
  return true;
}

function widthOfLetter(code: number): number {
  const letter = String.fromCharCode(code);
  if ('mwMW@%&#'.includes(letter)) return WIDE;
  return code >= 0x41 && code <= 0x5a ? CAPITAL : NARROW;
}
