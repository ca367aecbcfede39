/** Tests the page at the URL of a crosswalk. */
import { render, screen } from '@testing-library/react';
import { createMemoryRouter, RouterProvider } from 'react-router-dom';
import { expect, it } from 'vitest';
import CrosswalkById from './CrosswalkById.tsx';

it('the page redirects to the mappings of the crosswalk', async () => {
  const routes = [
    { path: '/crosswalks/:id', element: <CrosswalkById /> },
    { path: '/crosswalks/:id/mappings', element: 'the mappings' },
  ];
  const router = createMemoryRouter(routes, { initialEntries: ['/crosswalks/3'] });
  render(<RouterProvider router={router} />);
  expect(await screen.findByText('the mappings')).toBeTruthy();
  expect(router.state.location.pathname).toBe('/crosswalks/3/mappings');
});
