/** Purge data, for administrators: delete for good what was deleted before, with a second administrator, and legal holds. */
import { Eraser } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Purge Data',
    icon: Eraser,
    order: 80,
    section: 'administration',
    description: 'Deletes for good what was deleted before. A second administrator confirms it.',
  },
  routes: [{ path: '/admin/purge-data', title: 'Purge Data', page: () => import('./pages/PurgeData.tsx') }],
});
