/** Diagnostics: the health of each part, and recent errors. */
import { Stethoscope } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  routes: [{ path: '/diagnostics', title: 'Diagnostics', page: () => import('./pages/Diagnostics.tsx') }],
  actions: [
    { label: 'Diagnostics', icon: Stethoscope, to: '/diagnostics', keywords: ['health', 'status', 'errors', 'report'] },
  ],
});
