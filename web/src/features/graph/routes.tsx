/** The graph: one data set with its neighbours, the public graph, and the graph database. */
import { Database, Share2 } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

export default feature({
  routes: [
    {
      path: '/reference-data/:id/graph',
      title: 'Graph of a Data Set',
      canShowPast: true,
      page: () => import('./pages/DataSetGraph.tsx'),
    },
    {
      path: '/graph-visualization',
      title: 'Graph Visualization',
      access: 'public',
      page: () => import('./pages/PublicGraph.tsx'),
    },
    { path: '/postgres-info', title: 'Graph Database', page: () => import('./pages/GraphDatabase.tsx') },
  ],
  actions: [
    { label: 'Public graph', icon: Share2, to: '/graph-visualization', keywords: ['visualization', 'published'] },
    { label: 'Graph database', icon: Database, to: '/postgres-info', keywords: ['postgres', 'drift', 'rebuild'] },
  ],
});
