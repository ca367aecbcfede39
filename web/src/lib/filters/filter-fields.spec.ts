/** Tests which fields of a list a page offers in filters, and in which order. */
import { apiOnly, datetime, number, string } from '@rdm/contracts/lists/list-field';
import { describe, expect, it } from 'vitest';
import { filterFields } from './filter-fields.ts';

const FIELDS = {
  id: apiOnly(number('Id')),
  name: string('Name'),
  action: string('Action', 'What happened'),
  at: datetime('Time'),
};

describe('the fields of a filter', () => {
  it('are the declared fields with their page labels, without API-only fields', () =>
    expect(filterFields(FIELDS)).toEqual([
      { name: 'name', label: 'Name', dataType: 'string' },
      { name: 'action', label: 'What happened', dataType: 'string' },
      { name: 'at', label: 'Time', dataType: 'datetime' },
    ]));

  it('begin with the fields that the page names', () =>
    expect(filterFields(FIELDS, ['at']).map(({ name }) => name)).toEqual(['at', 'name', 'action']));
});
