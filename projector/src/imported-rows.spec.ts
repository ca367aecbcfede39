/** The text of imported rows says what folding the event says, whatever is in their cells. */
import type { InstanceEvent } from '@rdm/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Imported, importedColumns, importedText } from './imported-rows.ts';
import { instanceRows } from './instances.ts';
import type { Numbered } from './numbered-event.ts';
import { cleanJson } from './rows.ts';

const importing = (fieldIds: number[], keyFieldIds: number[], rows: unknown[][], actorId: number | null = 4) =>
  ({
    type: 'InstancesImported',
    data: { jobId: 9, schemaRevision: 1, keyFieldIds, fieldIds, rows },
    entityId: 7,
    seq: 3,
    metadata: { occurredAt: '2026-01-01T00:00:00.000Z', actorId },
  }) as unknown as Imported;

const MEANT: Record<string, string> = { n: '\n', t: '\t', r: '\r' };
const read = (field: string): string | null =>
  field === '\\N' ? null : field.replace(/\\(.)/g, (_, character: string) => MEANT[character] ?? character);

const copied = (event: Imported) =>
  [...importedText([event])]
    .join('')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split('\t').map(read));

/** As the table holds what was folded. */
const folded = (event: Imported) =>
  instanceRows.fold(event as Numbered<InstanceEvent>, []).map((row) => {
    const columns = { ...row, valid_from: event.seq } as Record<string, unknown>;
    return importedColumns.map((column) => {
      const value = columns[column];
      if (column === 'deleted') return value ? 't' : 'f';
      if (column === 'data') return JSON.parse(cleanJson(value));
      return value === null ? null : String(value);
    });
  });

const DATA = importedColumns.indexOf('data');
const seen = (rows: (string | null)[][]) =>
  rows.map((row) => row.map((value, index) => (index === DATA ? JSON.parse(value as string) : value)));

const cell = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\t', 'a\nb', '\\', '\\n', '"', 'é', 'e\u0301', '\ud83d', '\u0000'),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);

describe('rows of an import', () => {
  it('are copied as they would be folded', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell, cell), { maxLength: 5 }), fc.boolean(), (cells, isComposite) => {
        const keyFieldIds = isComposite ? [12, 11] : [11];
        const rows = cells.map((row, index) => [64 * (index + 1), ...row]);
        const event = importing([11, 12, 2], keyFieldIds, rows);
        expect(seen(copied(event))).toEqual(folded(event));
      }),
    );
  });

  it('have empty cells where the file has no column, and nobody where nobody acted', () => {
    const event = importing([11], [11, 12], [[64, 'a']], null);
    expect(seen(copied(event))).toEqual(folded(event));
  });
});
