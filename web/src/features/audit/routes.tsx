/** The audit log: the list, and the replay of one entity or stream. */
import { ScrollText } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Audit Logs',
    icon: ScrollText,
    order: 30,
    section: 'administration',
    description: 'Activities with user and time, and verification of the hash chain.',
  },
  routes: [
    { path: '/audit-logs', title: 'Audit Logs', page: () => import('./pages/AuditLogs.tsx') },
    { path: '/audit-logs/replay', title: 'Replay', page: () => import('./pages/Replay.tsx') },
  ],
});
