/** Tests the fields of an export and their order. */
import { expect, it } from 'vitest';
import { exportedFields } from './exported-fields.ts';
import type { RowField } from './instance-columns.tsx';

const field = (name: string, isPrimaryKey = false): RowField => ({ name, dataType: 'string', isPrimaryKey });
const FIELDS = [field('code', true), field('name'), field('rank')];

it('are all fields in the order of the type, if the page shows them so', () => {
  expect(exportedFields(FIELDS, undefined)).toBeUndefined();
  expect(exportedFields(FIELDS, ['code', 'name', 'rank', 'updatedAt'])).toBeUndefined();
});

it('are the displayed ones, in their order', () => {
  expect(exportedFields(FIELDS, ['rank', 'updatedAt', 'code', 'name'])).toEqual(['rank', 'code', 'name']);
  expect(exportedFields(FIELDS, ['rank', 'code'])).toEqual(['rank', 'code']);
});

it('have the key first, as on the page', () => {
  expect(exportedFields([field('name'), field('code', true)], undefined)).toEqual(['code', 'name']);
  expect(exportedFields(FIELDS, ['rank'])).toEqual(['code', 'rank']);
});
