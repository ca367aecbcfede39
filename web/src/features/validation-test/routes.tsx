/** The validation test: checks rows by the rules of an import without storing them. */
import { ListChecks } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  routes: [{ path: '/validation-test', title: 'Validation test', page: () => import('./pages/ValidationTest.tsx') }],
  actions: [
    {
      label: 'Validate rows',
      icon: ListChecks,
      to: '/validation-test',
      keywords: ['validation test', 'check', 'csv', 'json'],
    },
  ],
});
