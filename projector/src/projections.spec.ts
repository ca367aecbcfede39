import { READ_MODEL_TITLES } from '@rdm/contracts';
import { expect, it } from 'vitest';
import { projections } from './projections.ts';

it('each have a title for the user interface', () => {
  expect(Object.keys(READ_MODEL_TITLES).sort()).toEqual(projections.map(({ name }) => name).sort());
});
