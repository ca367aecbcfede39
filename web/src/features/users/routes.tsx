/** Users, groups and the mail outbox, for administrators. */
import { UserPlus, Users } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Manage Users',
    icon: Users,
    order: 10,
    section: 'administration',
    description: 'Users with their roles and groups.',
    covers: ['/users'],
  },
  routes: [
    { path: '/manage-users', title: 'Manage Users', page: () => import('./pages/ManageUsers.tsx') },
    { path: '/users', title: 'Manage Users', page: () => import('./pages/ManageUsers.tsx') },
  ],
  actions: [
    { label: 'Invite a user', icon: UserPlus, to: '/manage-users?new=true', keywords: ['new', 'create', 'person'] },
  ],
});
