/** Signing in, and the user's password. */
import { KeyRound } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  routes: [
    { path: '/auth', title: 'Sign in', page: () => import('./pages/SignIn.tsx'), access: 'public' },
    { path: '/auth/callback', title: 'Sign in', page: () => import('./pages/SsoCallback.tsx'), access: 'public' },
    {
      path: '/reset-password',
      title: 'Reset password',
      page: () => import('./pages/ResetPassword.tsx'),
      access: 'public',
    },
    { path: '/change-password', title: 'Change password', page: () => import('./pages/ChangePassword.tsx') },
  ],
  actions: [{ label: 'Change password', icon: KeyRound, to: '/change-password' }],
});
