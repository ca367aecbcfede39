/** Every route of the site with its guard: what one may open, and why not. */
import { Signpost } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  routes: [{ path: '/site-paths', title: 'Site paths', page: () => import('./pages/SitePaths.tsx') }],
  actions: [{ label: 'Site paths', icon: Signpost, to: '/site-paths', keywords: ['routes', 'permission', 'may I'] }],
});
