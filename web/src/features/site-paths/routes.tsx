/** The list of all routes, with their guards and whether the user can open them. */
import { Signpost } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  routes: [{ path: '/site-paths', title: 'Site paths', page: () => import('./pages/SitePaths.tsx') }],
  actions: [{ label: 'Site paths', icon: Signpost, to: '/site-paths', keywords: ['routes', 'permission', 'may I'] }],
});
