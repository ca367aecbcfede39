/** Specifies what an address says that leads nowhere: now, and at a moment of the past. */
import { cleanup, render, screen } from '@testing-library/react';
import { MemoryRouter } from 'react-router-dom';
import { afterEach, expect, it } from 'vitest';
import { MomentContext } from '../../lib/past/index.ts';
import { NoSuch } from './no-such.tsx';

afterEach(cleanup);

const show = (moment?: string) =>
  render(
    <MemoryRouter>
      <MomentContext value={moment}>
        <NoSuch what="crosswalk" list={{ to: '/crosswalks', label: 'All crosswalks' }} />
      </MomentContext>
    </MemoryRouter>,
  );

it('says that it is not there, and leads to what is', () => {
  show();
  expect(screen.getByText('This crosswalk does not exist')).toBeDefined();
  expect(screen.getByRole('link', { name: 'All crosswalks' }).getAttribute('href')).toBe('/crosswalks');
});

it('says of the past only that it was not there then', () => {
  show('seq:3');
  expect(screen.getByText('There was no such crosswalk then')).toBeDefined();
  expect(screen.queryByText('This crosswalk does not exist')).toBeNull();
});
