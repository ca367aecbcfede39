/** Tests the summary line of a data set. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { cleanup, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { MomentContext } from '../../../lib/past/index.ts';
import { fakeServer, showPage } from '../../../testing/page.tsx';
import { Facts } from './Facts.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const dataSet = {
  ...{ id: 5, name: 'Countries', typeName: 'Country', primaryKeyFields: ['code'], collections: [], level: 'ADMIN' },
  ...{ instanceCount: 1, crosswalkCount: 0, pendingCount: 0, isPublic: false },
} as unknown as DataSetView;

it.each([
  [undefined, 1],
  ['seq:7', 0],
])(
  'shows at the moment %s the level of the user %d times: answers about the past have READ for all',
  (moment, times) => {
    fakeServer({});
    showPage(
      <MomentContext value={moment}>
        <Facts dataSet={dataSet} />
      </MomentContext>,
    );
    expect(screen.getByText('Country')).toBeTruthy();
    expect(screen.queryAllByText('My level')).toHaveLength(times);
  },
);
