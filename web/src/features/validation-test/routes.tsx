/** The validation test: rows checked by the rules of an import, and nothing stored. */
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
