/** Specifies how ids of problem groups are parsed, including ids of earlier versions. */
import { expect, it } from 'vitest';
import { shapeOf } from './inference/shape-of.ts';
import { groupId, parseGroupId, SURPLUS } from './problem-groups.ts';

it.each(['1,25 |x', '', 'n/a', 'Größe 5', SURPLUS])('parses the group id of the value %o', (value) => {
  const key = { rule: 'WRONG_TYPE', column: 2, shape: value === SURPLUS ? value : shapeOf(value) } as const;
  expect(parseGroupId(groupId(key))).toEqual(key);
});

it.each([
  ['99.99.9999', '31.12.2025'],
  ['99999999… a', '1234567890 x'],
])('converts the shape %s of an earlier version to the current shape of %s', (former, value) => {
  const key = { rule: 'WRONG_TYPE', column: 2, shape: former } as const;
  expect(parseGroupId(groupId(key)).shape).toBe(shapeOf(value));
});
