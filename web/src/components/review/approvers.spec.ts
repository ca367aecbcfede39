/** Tests the text that names the approvers. */
import { expect, it } from 'vitest';
import { approversText } from './approvers.tsx';

it.each([
  [[], 1, undefined],
  [['Ann'], 0, 'Ann can approve this.'],
  [['Ann', 'Bob'], 0, 'Ann or Bob can approve this.'],
  [['Ann'], 1, 'Ann or 1 other user can approve this.'],
  [['Ann', 'Bob', 'Cid', 'Dan'], 2, 'Ann, Bob, Cid, or 3 other users can approve this.'],
])('the text for the approvers %j and %d administrators is “%s”', (approvers, administrators, text) => {
  expect(approversText({ approvers, administrators })).toBe(text);
});
