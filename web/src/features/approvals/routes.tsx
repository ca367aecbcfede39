/** Approvals: the dashboard of changes to review, own submissions and decisions. */
import { BadgeCheck } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Approvals Dashboard',
    icon: BadgeCheck,
    order: 60,
    description: 'Submitted changes that wait for a review by a second user.',
  },
  routes: [{ path: '/approvals', title: 'Approvals Dashboard', page: () => import('./pages/Approvals.tsx') }],
  actions: [
    { label: 'Review pending changes', icon: BadgeCheck, to: '/approvals', keywords: ['approve', 'reject', 'pending'] },
  ],
});
