/** Tests the form that creates a crosswalk (specification §5). */
import { fireEvent, screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { fakeServer, showPage } from '../../../testing/page.tsx';
import CreateCrosswalk from './CreateCrosswalk.tsx';

afterEach(() => vi.unstubAllGlobals());

it('the form requires a name and both data sets before it sends the crosswalk', async () => {
  const server = fakeServer({
    'GET /api/reference-data': { body: { items: [{ id: 1 }], page: 1, pageSize: 50, total: 1 } },
  });
  showPage(<CreateCrosswalk />);
  fireEvent.click(await screen.findByRole('button', { name: 'Create crosswalk' }));
  expect(await screen.findByText('Mapping name is required')).toBeTruthy();
  expect(screen.getAllByText('Choose a data set')).toHaveLength(2);
  expect(server.sent.filter(({ method }) => method !== 'GET')).toEqual([]);
});
