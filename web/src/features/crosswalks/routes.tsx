/** Crosswalks: mappings between the values of two data sets, from suggestion to approval. */
import { ArrowLeftRight, CircleHelp, Plus } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Crosswalks',
    icon: ArrowLeftRight,
    order: 50,
    description: 'Mappings between the values of two data sets.',
    covers: ['/crosswalks-old', '/crosswalk', '/missing-mappings'],
  },
  routes: [
    { path: '/crosswalks', title: 'Crosswalks', canShowPast: true, page: () => import('./pages/CrosswalkList.tsx') },
    {
      path: '/crosswalks-old',
      title: 'Crosswalks (plain table)',
      canShowPast: true,
      page: () => import('./pages/CrosswalkTable.tsx'),
    },
    { path: '/crosswalks/create', title: 'Create a crosswalk', page: () => import('./pages/CreateCrosswalk.tsx') },
    { path: '/crosswalks/:id', title: 'Mappings', canShowPast: true, page: () => import('./pages/CrosswalkById.tsx') },
    { path: '/crosswalks/:id/edit', title: 'Edit crosswalk', page: () => import('./pages/EditCrosswalk.tsx') },
    {
      path: '/crosswalks/:id/mappings',
      title: 'Mappings',
      canShowPast: true,
      page: () => import('./pages/Mappings.tsx'),
    },
    {
      path: '/crosswalk/comparison/:targetDatasetId',
      title: 'Comparison',
      canShowPast: true,
      page: () => import('./pages/Comparison.tsx'),
    },
    { path: '/missing-mappings', title: 'Missing mappings', page: () => import('./pages/MissingMappings.tsx') },
  ],
  actions: [
    { label: 'Create a crosswalk', icon: Plus, to: '/crosswalks/create', keywords: ['map', 'new'] },
    { label: 'Missing mappings', icon: CircleHelp, to: '/missing-mappings', keywords: ['unmapped', 'requests'] },
  ],
});
