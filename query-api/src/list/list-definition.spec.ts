/** Tests the SQL of the declared fields of a list. */
import type { ListFields } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';
import { sql } from '../read-models/sql.ts';
import { fieldMap } from './list-definition.ts';

const FIELDS = {
  name: { dataType: 'string', label: 'Name', pageLabel: 'Name' },
  size: { dataType: 'number', label: 'Size', pageLabel: 'Size' },
  tags: { dataType: 'array', label: 'Tags', pageLabel: 'Tags' },
} satisfies ListFields;

const sqlOf = (fields: ReturnType<typeof fieldMap>, name: string) => fields.get(name)?.sql.texts.join('?');

describe('the fields of a list', () => {
  it('use the columns of the same name, cast to the SQL types of the fields', () => {
    const fields = fieldMap(FIELDS, { name: sql`x.name`, size: sql`x.a + x.b`, tags: sql`x.tags` }, {});
    expect([...fields.keys()].map((name) => sqlOf(fields, name))).toEqual([
      '(x.name)',
      '(x.a + x.b)::numeric',
      'to_jsonb(x.tags)',
    ]);
    expect(fields.get('size')).toMatchObject({ dataType: 'number', label: 'Size' });
  });

  it('use a given expression instead of the column', () => {
    const fields = fieldMap(FIELDS, { name: sql`x.name`, tags: sql`x.tags` }, { name: sql`y.name`, size: sql`1` });
    expect([sqlOf(fields, 'name'), sqlOf(fields, 'size')]).toEqual(['y.name', '1']);
  });

  it('do not compile without a column or an expression', () => {
    // @ts-expect-error -- `size` has neither a column nor an expression.
    fieldMap(FIELDS, { name: sql`x.name`, tags: sql`x.tags` }, {});
  });
});
