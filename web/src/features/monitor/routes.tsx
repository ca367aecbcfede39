/** The monitor of jobs and the system. */
import { Activity } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: { label: 'Monitor', icon: Activity, order: 70, description: 'Jobs, read models and throughput, live.' },
  routes: [{ path: '/monitor', title: 'Monitor', page: () => import('./pages/Monitor.tsx') }],
});
