/** API testing, for administrators: translates a CSV with an API key, as another system would. */
import { PlugZap } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

const page = () => import('./pages/ApiTesting.tsx');

export default feature({
  nav: {
    label: 'API Testing',
    icon: PlugZap,
    order: 50,
    section: 'administration',
    description: 'Translate a CSV with an API key, as a system does.',
    covers: ['/api-test'],
  },
  routes: [
    { path: '/api-testing', title: 'API Testing', page },
    { path: '/api-test', title: 'API Testing', page },
  ],
});
