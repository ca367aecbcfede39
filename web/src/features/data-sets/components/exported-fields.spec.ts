/** Tests which fields an export has, and in which order. */
import { expect, it } from 'vitest';
import { exportedFields } from './exported-fields.ts';
import type { RowField } from './instance-columns.tsx';

const field = (name: string, isPrimaryKey = false): RowField => ({ name, dataType: 'string', isPrimaryKey });
const FIELDS = [field('code', true), field('name'), field('rank')];

it('leaves the fields to the default of the server if the page shows all fields in the order of the type', () => {
  expect(exportedFields(FIELDS, undefined)).toBeUndefined();
  expect(exportedFields(FIELDS, ['code', 'name', 'rank', 'updatedAt'])).toBeUndefined();
});

it('exports the displayed fields in the displayed order', () => {
  expect(exportedFields(FIELDS, ['rank', 'updatedAt', 'code', 'name'])).toEqual(['rank', 'code', 'name']);
  expect(exportedFields(FIELDS, ['rank', 'code'])).toEqual(['rank', 'code']);
});

it('puts the key first by default, and if the displayed columns omit the key', () => {
  expect(exportedFields([field('name'), field('code', true)], undefined)).toEqual(['code', 'name']);
  expect(exportedFields(FIELDS, ['rank'])).toEqual(['code', 'rank']);
});
