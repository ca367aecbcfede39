/** Roles and their permissions, for administrators. */
import { ShieldUser } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Manage Roles',
    icon: ShieldUser,
    order: 20,
    section: 'administration',
    description: 'Roles determine which pages users can open, and which abilities users have outside of collections.',
  },
  routes: [{ path: '/roles', title: 'Manage Roles', page: () => import('./pages/Roles.tsx') }],
});
