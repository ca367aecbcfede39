/** Filter testing, for administrators: results and cost of a filter, and the filterable fields of each list. */
import { FlaskConical } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Filter Testing',
    icon: FlaskConical,
    order: 60,
    section: 'administration',
    description: 'Results and cost of a filter, and the filterable fields of each list.',
  },
  routes: [{ path: '/filter-testing', title: 'Filter Testing', page: () => import('./pages/FilterTesting.tsx') }],
});
