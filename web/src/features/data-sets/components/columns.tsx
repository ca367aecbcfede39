/** Columns and filters of the list of data sets. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { Globe, KeyRound } from 'lucide-react';
import { createContext, useContext } from 'react';
import { Link } from 'react-router-dom';
import type { GridColumn } from '../../../components/data-grid/index.ts';
import { Person } from '../../../components/people/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { BrokenBadge } from './BrokenBadge.tsx';

/** A time with its user; the page loads the names (`NamesOf`), so that rows do not request their own. */
export function When({ at, by }: { at: string; by: number | null }) {
  return (
    <>
      <RelativeTime at={at} />
      <span className="text-muted">
        {' · '}
        <Person id={by} />
      </span>
    </>
  );
}

export function Collections({ collections }: Pick<DataSetView, 'collections'>) {
  if (collections.length === 0) return <span className="text-muted">None</span>;
  return (
    <span className="flex flex-wrap gap-1">
      {collections.map(({ id, name }) => (
        <Link key={id} to={`/collections/${id}`} className="max-w-full">
          <Badge className="max-w-full hover:border-control">
            <span className="truncate">{name}</span>
          </Badge>
        </Link>
      ))}
    </span>
  );
}

/** The number of broken values of each displayed data set: loaded after the list, because it takes longer. */
export const BrokenContext = createContext<ReadonlyMap<number, number>>(new Map());

function Broken({ id }: { id: number }) {
  const count = useContext(BrokenContext).get(id) ?? 0;
  if (count === 0) return '–';
  return (
    <Link to={`/reference-data/${id}/integrity`} aria-label={`${formatNumber(count)} broken`}>
      <BrokenBadge count={count} bare />
    </Link>
  );
}

export const DATA_SET_COLUMNS: readonly GridColumn<DataSetView>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: (dataSet) => (
      <>
        <Link
          to={`/reference-data/${dataSet.id}`}
          title={dataSet.description}
          className="font-medium text-accent underline-offset-2 hover:underline"
        >
          {dataSet.name}
        </Link>
        {dataSet.isPublic && (
          <Globe role="img" aria-label="Public in the graph" className="ml-1.5 inline size-3.5 text-muted" />
        )}
      </>
    ),
    value: (dataSet) => dataSet.name,
    sortable: true,
    required: true,
    wrap: true,
    minWidth: 200,
  },
  {
    id: 'description',
    header: 'Description',
    cell: (dataSet) => dataSet.description,
    value: (dataSet) => dataSet.description,
    sortable: true,
    minWidth: 200,
    hidden: true,
  },
  {
    id: 'typeName',
    header: 'Type',
    cell: (dataSet) => dataSet.typeName,
    value: (dataSet) => dataSet.typeName,
    sortable: true,
    wrap: true,
    width: 108,
  },
  {
    id: 'key',
    header: 'Key',
    cell: (dataSet) => (
      <span className="inline-flex items-center gap-1 font-mono text-xs">
        <KeyRound aria-hidden="true" className="size-3 text-muted" />
        {dataSet.primaryKeyFields.join(', ')}
      </span>
    ),
    value: (dataSet) => dataSet.primaryKeyFields.join(', '),
    width: 120,
    hidden: true,
  },
  {
    id: 'collections',
    header: 'Collections',
    cell: (dataSet) => <Collections collections={dataSet.collections} />,
    value: (dataSet) => dataSet.collections.map(({ name }) => name).join(', '),
    minWidth: 130,
  },
  {
    id: 'instanceCount',
    header: 'Instances',
    cell: (dataSet) => formatNumber(dataSet.instanceCount),
    value: (dataSet) => dataSet.instanceCount,
    sortable: true,
    numeric: true,
    width: 84,
  },
  {
    id: 'pendingCount',
    header: 'Pending changes',
    cell: (dataSet) => (dataSet.pendingCount === 0 ? '–' : formatNumber(dataSet.pendingCount)),
    value: (dataSet) => dataSet.pendingCount,
    sortable: true,
    numeric: true,
    width: 124,
  },
  {
    id: 'crosswalkCount',
    header: 'Crosswalks',
    cell: (dataSet) => (dataSet.crosswalkCount === 0 ? '–' : formatNumber(dataSet.crosswalkCount)),
    value: (dataSet) => dataSet.crosswalkCount,
    sortable: true,
    numeric: true,
    width: 96,
  },
  {
    id: 'broken',
    header: 'Broken',
    cell: (dataSet) => <Broken id={dataSet.id} />,
    numeric: true,
    width: 72,
  },
  {
    id: 'updatedAt',
    header: 'Updated',
    cell: (dataSet) => <When at={dataSet.updatedAt} by={dataSet.updatedBy} />,
    value: (dataSet) => dataSet.updatedAt,
    sortable: true,
    width: 192,
  },
  {
    id: 'level',
    header: 'My level',
    cell: (dataSet) => <Badge tone="outline">{dataSet.level}</Badge>,
    value: (dataSet) => dataSet.level,
    width: 84,
  },
];

export const DATA_SET_FILTERS: readonly FilterField[] = [
  { name: 'name', label: 'Name', dataType: 'string' },
  { name: 'description', label: 'Description', dataType: 'string' },
  { name: 'typeName', label: 'Type', dataType: 'string' },
  { name: 'instanceCount', label: 'Instances', dataType: 'number' },
  { name: 'pendingCount', label: 'Pending changes', dataType: 'number' },
  { name: 'crosswalkCount', label: 'Crosswalks', dataType: 'number' },
  { name: 'isPublic', label: 'Public', dataType: 'boolean' },
  { name: 'createdAt', label: 'Created', dataType: 'datetime' },
  { name: 'updatedAt', label: 'Updated', dataType: 'datetime' },
];
