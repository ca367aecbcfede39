/** Tests that the COPY data of an import contains the same rows as the fold of its event, for any cell values. */
import type { InstanceEvent } from '@rdm/contracts';
import { withUnparsedRows } from '@rdm/platform';
import { digestOf } from '@rdm/platform/event-store/audit-chain';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NumberedEvent } from '../engine/numbered-event.ts';
import { instanceRows } from '../read-models/instances.ts';
import { encodeImportedRows, type ImportedEvent, importedColumns } from './imported-rows.ts';
import { cleanJson } from './rows.ts';

const importing = (fieldIds: number[], keyFieldIds: number[], rows: unknown[][], actorId: number | null = 4) =>
  ({
    type: 'InstancesImported',
    data: { jobId: 9, schemaRevision: 1, keyFieldIds, fieldIds, rows },
    entityId: 7,
    seq: 3,
    metadata: { occurredAt: '2026-01-01T00:00:00.000Z', actorId },
  }) as unknown as ImportedEvent;

/** Parses the binary format of COPY and returns the rows as lists of fields; null for NULL. */
function fieldsOf(bytes: Buffer): (Buffer | null)[][] {
  const rows: (Buffer | null)[][] = [];
  let at = 19;
  for (;;) {
    const count = bytes.readInt16BE(at);
    at += 2;
    if (count === -1) break;
    rows.push(
      Array.from({ length: count }, () => {
        const length = bytes.readInt32BE(at);
        at += 4 + Math.max(length, 0);
        return length < 0 ? null : bytes.subarray(at - length, at);
      }),
    );
  }
  expect(at).toBe(bytes.length);
  return rows;
}

/** PostgreSQL counts microseconds from this date. */
const EPOCH = Date.UTC(2000, 0, 1);

function parseField(bytes: Buffer, column: (typeof importedColumns)[number]): unknown {
  switch (column) {
    case 'key':
      return bytes.toString();
    case 'data':
      expect(bytes[0]).toBe(1);
      return JSON.parse(bytes.subarray(1).toString());
    case 'deleted':
      return bytes.equals(Buffer.of(1));
    case 'revision':
      return bytes.readInt32BE();
    case 'created_at':
    case 'updated_at':
      return new Date(EPOCH + Number(bytes.readBigInt64BE()) / 1_000).toISOString();
    default:
      return Number(bytes.readBigInt64BE());
  }
}

const copiedRows = (...events: ImportedEvent[]) =>
  fieldsOf(Buffer.concat([...encodeImportedRows(events)])).map((fields) =>
    importedColumns.map((column, index) => {
      const bytes = fields[index] ?? null;
      return bytes && parseField(bytes, column);
    }),
  );

/** Returns the folded rows in the form in which the table stores them. */
const folded = (event: ImportedEvent) =>
  instanceRows.fold(event as NumberedEvent<InstanceEvent>, []).map((row) => {
    const columns = { ...row, valid_from: event.seq } as Record<string, unknown>;
    return importedColumns.map((column) => {
      return column === 'data' ? JSON.parse(cleanJson(columns[column])) : columns[column];
    });
  });

const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\t', 'a\nb', '\\', '\\n', '"', 'é', 'e\u0301', '\ud83d', '\u0000'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

describe('the encoder of imported rows', () => {
  it('encodes the same rows as the fold', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }), fc.boolean(), (cells, isComposite) => {
        const keyFieldIds = isComposite ? [12, 11] : [11];
        const rows = cells.map((row, index) => [2 ** 40 + 64 * index, ...row]);
        const event = importing([11, 12, 2], keyFieldIds, rows);
        expect(copiedRows(event)).toEqual(folded(event));
      }),
    );
  });

  it('encodes a missing key column and a missing actor like the fold', () => {
    const event = importing([11], [11, 12], [[64, 'a']], null);
    expect(copiedRows(event)).toEqual(folded(event));
  });

  const cells = fc.array(
    fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('', 'a\nb', '\\', '\\n', '"', 'e\u0301', '\u2028', '\u0000', '\ud83d', 'x'.repeat(200)),
      fc.constantFrom(0, -0, 1e21, 1e-6, 1e-7, 1.5, -0.25, 123456789012345, 1234567890123456),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
    ),
    { maxLength: 4 },
  );

  it('encodes and digests unparsed rows like parsed rows', () => {
    let unparsedCases = 0;
    fc.assert(
      fc.property(
        fc.array(cells, { minLength: 1, maxLength: 5 }),
        fc.constantFrom<number[]>([11], [12, 11], [13]),
        (cellRows, keyFieldIds) => {
          const rows = cellRows.map((row, index) => [2 ** 40 + 64 * index, ...row]);
          const event = importing([11, 12, 2], keyFieldIds, rows);
          const data = withUnparsedRows(Buffer.from(JSON.stringify(event.data)));
          if (!data) return;
          unparsedCases += 1;
          const parsedEvent = { ...event, data: JSON.parse(JSON.stringify(event.data)) } as ImportedEvent;
          const unparsedEvent = { ...event, data } as ImportedEvent;
          expect(copiedRows(unparsedEvent)).toEqual(folded(parsedEvent));
          expect(digestOf(unparsedEvent)).toBe(digestOf(parsedEvent));
          expect(unparsedEvent.data).toEqual(parsedEvent.data);
        },
      ),
      { numRuns: 500 },
    );
    expect(unparsedCases).toBeGreaterThan(100);
  });

  it('encodes the unparsed rows of several events in the order of their ids', () => {
    const events = [1, 0].map((bucket) => {
      const rows = [0, 1, 2].map((index) => [64 * index + bucket, `K${index}-${bucket}`, 'a', index]);
      const event = { ...importing([11, 12, 2], [11], rows), seq: 5 - bucket } as ImportedEvent;
      return { ...event, data: withUnparsedRows(Buffer.from(JSON.stringify(event.data))) } as ImportedEvent;
    });
    const expected = events.flatMap(folded).sort(([, one], [, other]) => (one as number) - (other as number));
    expect(copiedRows(...events)).toEqual(expected);
  });

  it('encodes more rows than fit into a chunk, and a row that is longer than a chunk', () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => [64 * index, `K${index}`, 'ü'.repeat(index % 90), index]);
    rows.push([64 * 3_000, 'long', 'x'.repeat(200_000), 1]);
    const event = importing([11, 12, 2], [11], rows);
    const data = withUnparsedRows(Buffer.from(JSON.stringify(event.data)));
    expect(data).toBeDefined();
    expect(copiedRows({ ...event, data } as ImportedEvent)).toEqual(folded(event));
  });
});
