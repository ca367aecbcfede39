/** The page Purge Data, for administrators. */
import { Eraser } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Purge Data',
    icon: Eraser,
    order: 80,
    section: 'administration',
    description: 'Permanently remove deleted items, finished jobs and technical records, after a confirmation.',
  },
  routes: [{ path: '/admin/purge-data', title: 'Purge Data', page: () => import('./pages/PurgeData.tsx') }],
});
