/** Reference data sets: the list, the forms, and the rows, deleted rows and integrity issues of a data set. */
import { Plus, Table2 } from 'lucide-react';
import { feature } from '../../lib/feature/index.ts';

const rows = () => import('./pages/Instances.tsx');

// Data sets have no sidebar entry, because the entry for collections also covers data sets and rows (specification §2).
export default feature({
  routes: [
    {
      path: '/reference-data',
      title: 'Reference Data Sets',
      canShowPast: true,
      page: () => import('./pages/DataSets.tsx'),
    },
    { path: '/reference-data/create', title: 'Create a Data Set', page: () => import('./pages/CreateDataSet.tsx') },
    { path: '/reference-data/:id', title: 'Rows of a Data Set', canShowPast: true, page: rows },
    { path: '/reference-data/:id/instances', title: 'Rows of a Data Set', canShowPast: true, page: rows },
    {
      path: '/reference-data/:id/integrity',
      title: 'Integrity of a Data Set',
      page: () => import('./pages/Integrity.tsx'),
    },
    {
      path: '/reference-data/:id/deleted',
      title: 'Deleted Rows of a Data Set',
      canShowPast: true,
      page: () => import('./pages/DeletedRows.tsx'),
    },
    { path: '/reference-data/:id/edit', title: 'Edit a Data Set', page: () => import('./pages/EditDataSet.tsx') },
  ],
  actions: [
    { label: 'Reference data sets', icon: Table2, to: '/reference-data', keywords: ['code list', 'rows', 'instances'] },
    {
      label: 'Create a data set',
      icon: Plus,
      to: '/reference-data/create',
      ability: 'dataSets.create',
      keywords: ['new', 'code list'],
    },
  ],
});
