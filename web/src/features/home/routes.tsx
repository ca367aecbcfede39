/** The start page. */
import { House } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: { label: 'Start', icon: House, order: 0 },
  routes: [{ path: '/', title: 'Start', page: () => import('./pages/Home.tsx') }],
});
