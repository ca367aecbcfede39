import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readHeader, readPlace, recordedEventBound, TOMBSTONE_REVISION, writeRecordedEvent } from './recorded-event.ts';

it('readHeader and readPlace read the stream, the revision and the type of any written event', () => {
  const revision = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constant(TOMBSTONE_REVISION));
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(text, text, revision, fc.uint8Array(), (stream, type, revision, data) => {
      const event = { id: randomUUID(), type, isJson: false, data, metadata: data };
      const bytes = Buffer.alloc(recordedEventBound(stream, event));
      const place = { stream: Buffer.from(stream), revision, position: 7, created: 1 };
      const written = bytes.subarray(0, writeRecordedEvent(bytes, 0, event, place));
      const { stream: foundStream, revision: foundRevision, type: foundType } = readHeader(written);
      expect(readPlace(written)).toEqual({ stream: foundStream, revision: foundRevision, type: foundType });
      expect(readPlace(written)).toEqual({ stream, revision, type });
    }),
  );
});
