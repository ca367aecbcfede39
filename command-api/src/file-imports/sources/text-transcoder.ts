/** Converts files in a known encoding to UTF-8. */
import { ENCODINGS, type Encoding } from '@rdm/platform';
import iconv from 'iconv-lite';
import { utf8Transcoder } from '../text-encoding.ts';

/** Whether text-encoding.ts converts the encoding to UTF-8, and back for downloads of rejected rows. */
export const isOwnEncoding = (encoding: string): encoding is Encoding =>
  (ENCODINGS as readonly string[]).includes(encoding);

export const isKnownEncoding = (encoding: string): boolean => isOwnEncoding(encoding) || iconv.encodingExists(encoding);

/** A byte that is invalid in UTF-8. It replaces bytes that are invalid in the file's encoding, so the record fails. */
const INVALID = Buffer.from([0xff]);
const REPLACEMENT = '\ufffd';

/** Converts a file to UTF-8, piece by piece. */
export function transcoderOf(encoding: string): (piece: Buffer, last?: boolean) => Buffer {
  if (isOwnEncoding(encoding)) return utf8Transcoder(encoding);
  const decoder = iconv.getDecoder(encoding);
  return (piece, last = false) => {
    const text = decoder.write(piece) + ((last ? decoder.end() : undefined) ?? '');
    if (!text.includes(REPLACEMENT)) return Buffer.from(text);
    return Buffer.concat(
      text.split(REPLACEMENT).flatMap((part, index) => [...(index === 0 ? [] : [INVALID]), Buffer.from(part)]),
    );
  };
}
