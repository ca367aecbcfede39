/** Filter testing, for administrators: results and cost of a filter, and the filterable fields of each list. */
import { FlaskConical } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Filter Testing',
    icon: FlaskConical,
    order: 60,
    section: 'administration',
    description: 'What a filter finds and costs, and by what each list may be filtered.',
  },
  routes: [{ path: '/filter-testing', title: 'Filter Testing', page: () => import('./pages/FilterTesting.tsx') }],
});
