/** The documentation. */
import { BookOpen } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

const page = () => import('./pages/Help.tsx');

export default feature({
  routes: [
    { path: '/help', title: 'Documentation', past: true, page },
    { path: '/help/:page', title: 'Documentation', past: true, page },
    { path: '/documentation', title: 'Documentation', past: true, page },
  ],
  actions: [{ label: 'Documentation', icon: BookOpen, to: '/help', keywords: ['help', 'manual'] }],
});
