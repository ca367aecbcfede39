/** The page of API keys, for administrators. */
import { KeyRound } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'API Keys',
    icon: KeyRound,
    order: 40,
    section: 'administration',
    description: 'Keys for other systems, with their scopes and expiry.',
  },
  routes: [{ path: '/api-keys', title: 'API Keys', page: () => import('./pages/ApiKeys.tsx') }],
  actions: [
    { label: 'Create an API key', icon: KeyRound, to: '/api-keys?new=true', keywords: ['new', 'secret', 'token'] },
  ],
});
