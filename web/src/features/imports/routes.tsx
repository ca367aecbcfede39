/** Importing files: the onboarding wizard, and the import into one data set. */
import { Rocket, Upload } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Onboarding Wizard',
    icon: Rocket,
    order: 10,
    description: 'Import a file into a data set, step by step.',
  },
  routes: [
    { path: '/onboarding', title: 'Onboarding Wizard', page: () => import('./pages/Onboarding.tsx') },
    { path: '/reference-data/:id/import', title: 'Import', page: () => import('./pages/ImportIntoDataSet.tsx') },
  ],
  actions: [{ label: 'Import a file', icon: Upload, to: '/onboarding', keywords: ['upload', 'csv', 'onboarding'] }],
});
