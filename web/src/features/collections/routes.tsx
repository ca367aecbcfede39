/** Collections: data sets that are shared with the same users. */
import { FolderOpen, FolderPlus } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';
import { DataSetLinks } from './components/DataSetLinks.tsx';

export default feature({
  nav: {
    label: 'Reference Data Collections',
    icon: FolderOpen,
    order: 30,
    description: 'Groups of data sets with shared permissions.',
    covers: ['/reference-data'],
    links: DataSetLinks,
  },
  routes: [
    {
      path: '/collections',
      title: 'Reference Data Collections',
      canShowPast: true,
      page: () => import('./pages/CollectionList.tsx'),
    },
    {
      path: '/collections/:id',
      title: 'Collection',
      canShowPast: true,
      page: () => import('./pages/CollectionDetail.tsx'),
    },
    {
      path: '/collections/:id/permissions',
      title: 'Collection permissions',
      page: () => import('./pages/CollectionPermissions.tsx'),
    },
  ],
  actions: [
    {
      label: 'Create a collection',
      icon: FolderPlus,
      to: '/collections?new=true',
      ability: 'collections.create',
      keywords: ['new', 'share'],
    },
  ],
});
