/** Estimates whether a text fits its cell, without measuring it, which would force a layout of the page. */

const PADDING = 16;
/** Upper bounds for the widths of letters in the font Plex at 13 pixels, the font size of lists. */
const NARROW = 8.1;
const CAPITAL = 9.5;
const WIDE = 13;

/** Conservative: returns true only if the text is certainly not cut. */
export function textFits(text: string, width: number): boolean {
  const available = width - PADDING;
  // A text of this length is unlikely to fit.
  if (text.length * 3 > available) return false;
  let textWidth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Characters outside ASCII have unknown widths.
    if (code < 0x20 || code > 0x7e) return false;
    textWidth += widthOfLetter(code);
    if (textWidth > available) return false;
  }
  return true;
}

function widthOfLetter(code: number): number {
  const letter = String.fromCharCode(code);
  if ('mwMW@%&#'.includes(letter)) return WIDE;
  return code >= 0x41 && code <= 0x5a ? CAPITAL : NARROW;
}
