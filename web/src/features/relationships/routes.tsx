/** Relationships: connections between rows of two data sets, from definition to approval. */
import { Link2, Plus, Waypoints } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  nav: {
    label: 'Relationships',
    icon: Waypoints,
    order: 40,
    description: 'Connections between rows of two data sets.',
    covers: ['/relationship-values'],
  },
  routes: [
    {
      path: '/relationships',
      title: 'Relationships',
      canShowPast: true,
      page: () => import('./pages/RelationshipList.tsx'),
    },
    {
      path: '/relationships/create',
      title: 'Create a relationship',
      page: () => import('./pages/CreateRelationship.tsx'),
    },
    {
      path: '/relationships/:id',
      title: 'Relationship',
      canShowPast: true,
      page: () => import('./pages/RelationshipDetail.tsx'),
    },
    {
      path: '/relationships/:id/values',
      title: 'Relationship values',
      canShowPast: true,
      page: () => import('./pages/RelationshipValues.tsx'),
    },
    {
      path: '/relationship-values',
      title: 'Relationship values',
      canShowPast: true,
      page: () => import('./pages/AllValues.tsx'),
    },
  ],
  actions: [
    { label: 'Create a relationship', icon: Plus, to: '/relationships/create', keywords: ['relate', 'link', 'new'] },
    { label: 'Relationship values', icon: Link2, to: '/relationship-values', keywords: ['pairs', 'links'] },
  ],
});
