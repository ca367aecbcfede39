/** Tests the return from a sign-in provider with the toasts of the application (specification §2 and §8). */
import { screen } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import SsoCallback from '../features/identity/pages/SsoCallback.tsx';
import { fakeServer, showPage } from '../testing/page.tsx';
import { AuthErrorToasts } from './auth-error-toasts.tsx';

afterEach(() => vi.unstubAllGlobals());

it('shows an error even without a message from the server', async () => {
  fakeServer({ 'GET /api/auth/config': { status: 404 } });
  const page = (
    <>
      <AuthErrorToasts />
      <SsoCallback />
    </>
  );
  showPage(page, { user: null, at: '/auth/callback?code=c&state=s' });
  expect(await screen.findByText('Authentication Callback Error')).toBeTruthy();
  expect(screen.getByText('single sign-on login failed')).toBeTruthy();
});
