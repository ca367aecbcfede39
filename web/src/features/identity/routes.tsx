/** The sign-in pages, and the pages of the user's account and password. */
import { CircleUser, KeyRound } from 'lucide-react';
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
    { path: '/account', title: 'Your account', page: () => import('./pages/Account.tsx') },
    { path: '/change-password', title: 'Change password', page: () => import('./pages/ChangePassword.tsx') },
  ],
  actions: [
    { label: 'Your account', icon: CircleUser, to: '/account', keywords: ['profile', 'theme', 'level', 'role'] },
    { label: 'Change password', icon: KeyRound, to: '/change-password' },
  ],
});
