/** Tests the page for a record that cannot be loaded, now or at a moment of the past. */
import { render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { expect, it, vi } from 'vitest';
import { ApiError, NoLongerShared } from '../../lib/api/index.ts';
import { MomentContext } from '../../lib/past/index.ts';
import { NotLoaded } from './not-loaded.tsx';

const refused = new ApiError('Crosswalk 3 was not found', {
  status: 404,
  statusText: 'Not Found',
  code: 'NOT_FOUND',
  details: undefined,
  requestId: undefined,
  retryAfter: undefined,
  serverMessage: 'Crosswalk 3 was not found',
  raw: '',
});

const onRetry = vi.fn();
const show = (moment?: string, error: Error = refused) =>
  render(
    <MemoryRouter>
      <MomentContext value={moment}>
        <NotLoaded
          noun="crosswalk"
          error={error}
          onRetry={onRetry}
          list={{ to: '/crosswalks', label: 'All crosswalks' }}
        />
      </MomentContext>
    </MemoryRouter>,
  );

it('the page states that the record does not exist, with a link to the list', () => {
  show();
  expect(screen.getByText('This crosswalk does not exist')).toBeDefined();
  expect(screen.getByRole('link', { name: 'All crosswalks' }).getAttribute('href')).toBe('/crosswalks');
});

it('the page of a moment in the past states that the record did not exist at that time', () => {
  show('seq:3');
  expect(screen.getByText('This crosswalk did not exist at this time')).toBeDefined();
  expect(screen.queryByText('This crosswalk does not exist')).toBeNull();
});

it('the page states that the record is gone if it was displayed before', () => {
  show(undefined, new NoLongerShared(refused));
  expect(screen.getByText('This crosswalk is gone')).toBeDefined();
  expect(screen.getByText('This is no longer shared with you, or it was deleted.')).toBeDefined();
  expect(screen.queryByText('This crosswalk does not exist')).toBeNull();
});

it('the page shows the error and Try Again if the server cannot be reached', () => {
  show(undefined, new Error('The server cannot be reached'));
  expect(screen.getByText('This crosswalk could not be loaded')).toBeDefined();
  expect(screen.getByText('The server cannot be reached')).toBeDefined();
  screen.getByRole('button', { name: 'Try Again' }).click();
  expect(onRetry).toHaveBeenCalledOnce();
  expect(screen.getByRole('link', { name: 'All crosswalks' })).toBeDefined();
});
