/** Reference data types: the fields and keys that data sets share. */
import { Bug, Plus, Shapes } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

const list = () => import('./pages/ReferenceTypes.tsx');

export default feature({
  nav: {
    label: 'Reference Data Types',
    icon: Shapes,
    order: 20,
    description: 'Define the fields and keys that your data sets share.',
    covers: ['/reference-types-list', '/reference-types-debug'],
  },
  routes: [
    { path: '/reference-types', title: 'Reference Data Types', canShowPast: true, page: list },
    { path: '/reference-types-list', title: 'Reference Data Types', canShowPast: true, page: list },
    { path: '/reference-types-debug', title: 'Debug Schemas', page: () => import('./pages/DebugSchemas.tsx') },
  ],
  actions: [
    {
      label: 'Add a reference data type',
      icon: Plus,
      to: '/reference-types?new=true',
      ability: 'types.write',
      keywords: ['create', 'schema'],
    },
    { label: 'Debug schemas', icon: Bug, to: '/reference-types-debug' },
  ],
});
