/** Database backup, for administrators: make, schedule, verify, download and restore backups. */
import { DatabaseBackup } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Database Backup',
    icon: DatabaseBackup,
    order: 70,
    section: 'administration',
    description: 'Copies of the event log and the database, each verified when it is complete.',
  },
  routes: [{ path: '/admin/database-backup', title: 'Database Backup', page: () => import('./pages/Backups.tsx') }],
  actions: [
    {
      label: 'Back up now',
      icon: DatabaseBackup,
      to: '/admin/database-backup?new=true',
      keywords: ['copy', 'save', 'export', 'disaster'],
    },
  ],
});
