/** Tests how columns use the declared fields of their list. */
import { number, string } from '@rdm/contracts/lists/list-field';
import { describe, expect, it } from 'vitest';
import { columnsOf } from './column-builders.tsx';

interface Row {
  name: string;
  remark: string | null;
  size: number;
  ownerId: number | null;
}

const row: Row = { name: 'Countries', remark: null, size: 12_345, ownerId: 7 };
const { text, name, count, countOrDash, person } = columnsOf<Row>({
  name: string('Name'),
  size: number('Size', 'Rows'),
  ownerId: number('Owner'),
});

describe('a column', () => {
  it('has the page label of its field as its header and is sortable by default', () => {
    expect(count('size')).toMatchObject({ id: 'size', header: 'Rows', sortable: true, numeric: true });
    expect(count('size', { header: 'Instances', sortable: false })).toMatchObject({
      header: 'Instances',
      sortable: false,
    });
  });

  it('is not sortable and needs a header if the list declares no field of that name', () => {
    expect(text('remark', { header: 'Remark' })).toMatchObject({ header: 'Remark', sortable: false });
    expect(() => text('remark')).toThrow('The column remark needs a header');
  });

  it('shows and exports the property named by its id, and cannot be hidden if it is a name column', () => {
    expect([text('name').cell(row), text('remark', { header: 'Remark' }).cell(row)]).toEqual(['Countries', '']);
    expect([count('size').cell(row), countOrDash('size').cell({ ...row, size: 0 })]).toEqual(['12,345', '–']);
    expect(count('size').value?.(row)).toBe(12_345);
    expect(name('name').required).toBe(true);
  });

  it('is neither exported nor sortable if it shows a user', () => {
    expect(person('ownerId')).toMatchObject({ header: 'Owner', sortable: false });
    expect(person('ownerId').value).toBeUndefined();
  });
});
