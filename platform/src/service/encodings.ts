/** The encodings of uploaded files and of files with rejected rows. */

export const ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** The Windows-1252 characters of the bytes 0x80 to 0x9f; `?` represents a byte without a character. */
export const WINDOWS_1252 = '€?‚ƒ„…†‡ˆ‰Š‹Œ?Ž??‘’“”•–—˜™š›œ?žŸ';

const QUESTION_MARK = 0x3f;

/** Returns the byte of a character in Windows-1252; undefined for a character without a byte. */
export function windows1252Byte(character: string): number | undefined {
  const code = character.charCodeAt(0);
  if (code < 0x80 || (code >= 0xa0 && code <= 0xff)) return code;
  const place = WINDOWS_1252.indexOf(character);
  return place < 0 ? undefined : 0x80 + place;
}

/** Encodes a text; characters that the encoding does not have become `?`. */
export function encodeText(text: string, encoding: Encoding): Buffer {
  const wellFormed = text.toWellFormed();
  if (encoding === 'utf-8') return Buffer.from(wellFormed, 'utf8');
  if (encoding === 'windows-1252') {
    return Buffer.from([...wellFormed].map((character) => windows1252Byte(character) ?? QUESTION_MARK));
  }
  const units = Buffer.from(wellFormed, 'utf16le');
  return encoding === 'utf-16be' ? units.swap16() : units;
}
