/** Tests the columns of lists on pages of the past. */
import { renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { expect, it } from 'vitest';
import { MomentContext, useColumnsOfMoment } from './index.ts';

const COLUMNS = [{ id: 'name' }, { id: 'level' }];

it.each([
  ['all columns in the present', undefined, ['name', 'level']],
  ['no level column in the past', 'seq:7', ['name']],
])('a list has %s', (_, moment, expected) => {
  const wrapper = ({ children }: { children: ReactNode }) => <MomentContext value={moment}>{children}</MomentContext>;
  const { result } = renderHook(() => useColumnsOfMoment(COLUMNS), { wrapper });
  expect(result.current.map(({ id }) => id)).toEqual(expected);
});
