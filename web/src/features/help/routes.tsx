/** The routes of the documentation. */
import { BookOpen } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

const page = () => import('./pages/Help.tsx');

export default feature({
  routes: [
    { path: '/help', title: 'Documentation', canShowPast: true, page },
    { path: '/help/:page', title: 'Documentation', canShowPast: true, page },
    { path: '/documentation', title: 'Documentation', canShowPast: true, page },
  ],
  actions: [{ label: 'Documentation', icon: BookOpen, to: '/help', keywords: ['help', 'manual'] }],
});
