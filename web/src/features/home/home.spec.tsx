/** Tests the start page: the order of its links, and the note about a page that the role does not open. */
import { cleanup, screen } from '@testing-library/react';
import { House } from 'lucide-react';
import { afterEach, expect, it, vi } from 'vitest';
import { NavContext } from '../../lib/feature/index.ts';
import { fakeServer, showPage, steward } from '../../testing/page.tsx';
import Home from './pages/Home.tsx';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const entry = (to: string, order: number, section: 'main' | 'administration') => ({
  label: to,
  icon: House,
  to,
  order,
  section,
});

it('lists pages for all users before those for administrators, as the sidebar does', () => {
  fakeServer({ 'GET /api/monitor': { body: { jobs: {} } } });
  showPage(
    <NavContext
      value={[
        entry('/', 0, 'main'),
        entry('/manage-users', 10, 'administration'),
        entry('/reference-types', 20, 'main'),
        entry('/roles', 20, 'administration'),
        entry('/crosswalks', 50, 'main'),
      ]}
    >
      <Home />
    </NavContext>,
    { user: { ...steward, roleId: 1, isAdmin: true, routes: ['/'] } },
  );
  const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(links).toEqual(['/reference-types', '/crosswalks', '/manage-users', '/roles']);
});

it('names the page that the role of the user does not open', async () => {
  fakeServer({ 'GET /api/monitor': { body: { jobs: {} } } });
  const { router } = showPage(<Home />);
  await router.navigate('/', { state: { refusedPage: '/audit-logs' } });
  expect((await screen.findByRole('note')).textContent).toContain('Your role does not open /audit-logs');
});

it('shows no such note otherwise', () => {
  fakeServer({ 'GET /api/monitor': { body: { jobs: {} } } });
  showPage(<Home />);
  expect(screen.queryByRole('note')).toBeNull();
});
