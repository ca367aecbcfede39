/** Tests which cells a paste writes, and the messages about omitted cells. */
import { describe, expect, it } from 'vitest';
import type { CellField } from '../../components/cells.ts';
import { fieldColumns, headerOf, planPaste, tile } from './paste-plan.ts';

const FIELDS: CellField[] = [
  { name: 'code', dataType: 'string', isPrimaryKey: true },
  { name: 'name', dataType: 'string', isPrimaryKey: false },
  { name: 'level', dataType: 'number', isPrimaryKey: false },
];
const fromKey = { columns: ['code', 'name', 'level', undefined], rows: [64, 128] };
const fromName = { columns: ['name', 'level', undefined], rows: [64, 128] };

describe('a paste', () => {
  it('finds its rows by the key if it contains the key', () => {
    expect(planPaste([['001', 'x']], FIELDS, fromKey, undefined)).toEqual({
      ok: true,
      plan: { request: { fields: ['code', 'name'], rows: [{ cells: ['001', 'x'] }] }, lines: [1], omissions: [] },
    });
  });

  it('fills the rows from the cursor down if it lacks the key, and reports lines below the last row', () => {
    const planned = planPaste([['a'], ['b'], ['c']], FIELDS, fromName, undefined);
    expect(planned).toMatchObject({
      plan: {
        request: {
          fields: ['name'],
          rows: [
            { id: 64, cells: ['a'] },
            { id: 128, cells: ['b'] },
          ],
        },
        omissions: ['1 line is below the last row: to add rows, start the paste in the key column'],
      },
    });
  });

  it('reports the omitted columns if it is wider than the table', () => {
    const planned = planPaste([['a', '1', 'b', 'c']], FIELDS, fromName, undefined);
    expect(planned).toMatchObject({ plan: { omissions: ['2 columns have no matching field'] } });
  });

  it('uses the fields of its header line, regardless of the cursor', () => {
    const matrix = [
      ['LEVEL', 'code'],
      ['1', '007'],
    ];
    const header = headerOf(matrix, FIELDS);
    expect(header).toEqual(['level', 'code']);
    expect(planPaste(matrix, FIELDS, fromName, header)).toMatchObject({
      plan: { request: { fields: ['level', 'code'], rows: [{ cells: ['1', '007'] }] }, lines: [2] },
    });
  });

  it('has no header line if the first line is the only line, repeats a field or contains another text', () => {
    expect(
      headerOf(
        [
          ['code', 'Bond'],
          ['1', '2'],
        ],
        FIELDS,
      ),
    ).toBeUndefined();
    expect(headerOf([['code', 'name']], FIELDS)).toBeUndefined();
    expect(
      headerOf(
        [
          ['code', 'code'],
          ['1', '2'],
        ],
        FIELDS,
      ),
    ).toBeUndefined();
  });

  it('is refused with the reason if it lacks fields, key fields or rows to fill, or has too many lines', () => {
    const composite = FIELDS.map((field) => ({ ...field, isPrimaryKey: field.name !== 'level' }));
    const reason = (planned: ReturnType<typeof planPaste>) => (planned.ok ? undefined : planned.reason);
    expect(reason(planPaste([['x']], FIELDS, { columns: [undefined], rows: [1] }, undefined))).toContain(
      'No field here',
    );
    expect(reason(planPaste([['x']], composite, fromName, undefined))).toBe(
      'The key of a row is code and name: paste all key fields, or none',
    );
    expect(reason(planPaste([['x']], FIELDS, { ...fromName, rows: [] }, undefined))).toContain('needs its key');
    const long = Array.from({ length: 10_001 }, (_, index) => [String(index), 'x']);
    expect(reason(planPaste(long, FIELDS, fromKey, undefined))).toContain('At most 10,000 lines');
  });

  it('fills a selection whose height and width are multiples of its own', () => {
    expect(tile([['a', 'b']], 2, 4)).toEqual([
      ['a', 'b', 'a', 'b'],
      ['a', 'b', 'a', 'b'],
    ]);
    expect(tile([['a', 'b']], 1, 3)).toEqual([['a', 'b']]);
    expect(tile([['a'], ['b']], 1, 1)).toEqual([['a'], ['b']]);
  });
});

describe('a copy', () => {
  const columns = ['code', 'updatedAt', 'name', 'level', 'revision'];
  it('contains only columns of fields, because system columns cannot be pasted', () => {
    expect(fieldColumns({ left: 0, right: 4 }, columns, FIELDS)).toEqual([0, 2, 3]);
    expect(fieldColumns({ left: 1, right: 2 }, columns, FIELDS)).toEqual([2]);
    expect(fieldColumns({ left: 4, right: 4 }, columns, FIELDS)).toEqual([]);
  });
});
