import type { Encoding } from '@rdm/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byteOrderMark, decodeUtf8, LineCounter, restoreBytes, showBytes, utf8Transcoder } from './text-encoding.ts';

const bytes = (...parts: (string | number[])[]) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));
const MUENCHEN = [0x4d, 0xfc, 0x6e, 0x63, 0x68, 0x65, 0x6e];

function encodingOf(content: Buffer, pieceBytes = 7): Encoding {
  const lineCounter = new LineCounter();
  for (let at = 0; at < content.length; at += pieceBytes) lineCounter.push(content.subarray(at, at + pieceBytes));
  lineCounter.end();
  return lineCounter.encoding();
}

function transcoded(encoding: Encoding, content: Buffer, pieceBytes = content.length): Buffer {
  const transcode = utf8Transcoder(encoding);
  const parts = [];
  for (let at = 0; at < content.length; at += pieceBytes) parts.push(transcode(content.subarray(at, at + pieceBytes)));
  return Buffer.concat([...parts, transcode(Buffer.alloc(0), true)]);
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

describe('the encoding of a file', () => {
  it('is given by its byte order mark', () => {
    expect(byteOrderMark(bytes([0xef, 0xbb, 0xbf], 'a'))?.encoding).toBe('utf-8');
    expect(byteOrderMark(bytes([0xff, 0xfe]))?.encoding).toBe('utf-16le');
    expect(byteOrderMark(bytes([0xfe, 0xff]))?.encoding).toBe('utf-16be');
    expect(byteOrderMark(bytes('a'))).toBeUndefined();
  });
  it('is UTF-8 by default', () => {
    expect(encodingOf(bytes('code,name\nDE,Deutschland\n'))).toBe('utf-8');
    expect(encodingOf(bytes('code,name\nM,München\n'))).toBe('utf-8');
  });
  it('is Windows-1252 for a file of rejected rows with one line of invalid UTF-8', () => {
    const rows = bytes('rdm:reason,code\n', MUENCHEN, ',x\n', 'a,b\n'.repeat(50));
    expect(encodingOf(rows)).toBe('windows-1252');
    expect(encodingOf(bytes('rdm:reason,code\nMünchen,x\n'))).toBe('utf-8');
  });
  it('stays UTF-8 despite a few invalid bytes', () => {
    const rows = Array.from({ length: 500 }, (_, index) => `${index},Zürich\n`).join('');
    expect(encodingOf(bytes(rows, MUENCHEN, '\n'))).toBe('utf-8');
    expect(encodingOf(bytes('a\n'.repeat(500), MUENCHEN, '\n'))).toBe('utf-8');
  });
  it('is Windows-1252 if two lines are invalid UTF-8 and all others are ASCII', () => {
    expect(encodingOf(bytes('a\n'.repeat(500), MUENCHEN, '\n', MUENCHEN, '\n'))).toBe('windows-1252');
  });
  it('is Windows-1252 if at least half of the lines are invalid UTF-8', () => {
    const rows = Array.from({ length: 20 }, (_, index) => bytes(`${index},`, MUENCHEN, `\n${index},Rom\n`));
    expect(encodingOf(Buffer.concat(rows))).toBe('windows-1252');
    expect(encodingOf(bytes(MUENCHEN))).toBe('windows-1252');
  });
});

describe('converting bytes to UTF-8', () => {
  const text = fc.string({ unit: 'grapheme' }).filter((value) => !value.startsWith('\ufeff'));
  it('preserves every text that arrives in pieces of a few bytes', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (value, pieceBytes) => {
        expect(transcoded('utf-16le', Buffer.from(value, 'utf16le'), pieceBytes).toString()).toBe(value);
        expect(transcoded('utf-16be', utf16be(value), pieceBytes).toString()).toBe(value);
        expect(transcoded('utf-8', Buffer.from(value), pieceBytes).toString()).toBe(value);
      }),
    );
  });
  it('drops the byte order mark', () => {
    expect(transcoded('utf-16le', Buffer.from('\ufeffä', 'utf16le')).toString()).toBe('ä');
    expect(transcoded('utf-16be', utf16be('\ufeffä')).toString()).toBe('ä');
    expect(transcoded('utf-8', Buffer.from('\ufeffä')).toString()).toBe('ä');
  });
  it('decodes Windows-1252', () => {
    expect(transcoded('windows-1252', bytes(MUENCHEN, [0x80])).toString()).toBe('München€');
  });
  it('keeps invalid bytes invalid', () => {
    const loneSurrogate = Buffer.from([0x41, 0x00, 0x00, 0xd8, 0x42, 0x00]);
    expect(decodeUtf8(transcoded('utf-16le', loneSurrogate).toString('latin1'))).toBeUndefined();
    expect(decodeUtf8(transcoded('windows-1252', Buffer.from([0x41, 0x81])).toString('latin1'))).toBeUndefined();
    expect(decodeUtf8(transcoded('utf-16le', Buffer.from([0x41, 0x00, 0x42])).toString('latin1'))).toBeUndefined();
  });
});

describe('restoring converted bytes', () => {
  const anyEncoding = fc.constantFrom<Encoding>('utf-8', 'utf-16le', 'utf-16be', 'windows-1252');
  it('returns the original bytes of a file without a byte order mark', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 40 }),
        anyEncoding,
        fc.integer({ min: 1, max: 5 }),
        (array, encoding, pieceBytes) => {
          const original = Buffer.from(array);
          fc.pre(byteOrderMark(original) === undefined);
          const decoded = transcoded(encoding, original, pieceBytes).toString('latin1');
          expect(restoreBytes(decoded, encoding).toString('hex')).toBe(original.toString('hex'));
        },
      ),
      { numRuns: 1_000 },
    );
  });
  it('restores the bytes of a changed text', () => {
    const prefixApostrophe = (text: string) => `'${text}`;
    expect(
      restoreBytes(
        transcoded('windows-1252', bytes(MUENCHEN, [0x81])).toString('latin1'),
        'windows-1252',
        prefixApostrophe,
      ),
    ).toEqual(bytes("'", MUENCHEN, [0x81]));
  });
});

describe('strings with one character for each byte', () => {
  it('are decoded only if the bytes are valid UTF-8', () => {
    expect(decodeUtf8(bytes('Zürich').toString('latin1'))).toBe('Zürich');
    expect(decodeUtf8(bytes(MUENCHEN).toString('latin1'))).toBeUndefined();
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (value) => {
        expect(decodeUtf8(Buffer.from(value).toString('latin1'))).toBe(value);
      }),
    );
  });
  it('are displayed with escapes for invalid bytes and control characters', () => {
    expect(showBytes(bytes(MUENCHEN).toString('latin1'))).toBe('M\\xfcnchen');
    expect(showBytes('a\0b\u001b[31m\n')).toBe('a\\x00b\\x1b[31m\n');
  });
});
