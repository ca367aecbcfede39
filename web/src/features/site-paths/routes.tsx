/** The list of all routes with their guards, and why the user can or cannot open them. */
import { Signpost } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  routes: [{ path: '/site-paths', title: 'Site paths', page: () => import('./pages/SitePaths.tsx') }],
  actions: [{ label: 'Site paths', icon: Signpost, to: '/site-paths', keywords: ['routes', 'permission', 'may I'] }],
});
