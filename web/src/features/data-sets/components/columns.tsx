/** Columns and filters of the list of data sets. */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { DATA_SET_FIELDS } from '@rdm/contracts/data-sets/list-fields';
import { Globe, KeyRound } from 'lucide-react';
import { createContext, useContext } from 'react';
import { Link } from 'react-router-dom';
import { columnsOf, linkClasses } from '../../../components/data-grid/index.ts';
import { Person } from '../../../components/people/index.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Badge } from '../../../components/ui/badge.tsx';
import { filterFields } from '../../../lib/filters/filter-fields.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { BrokenBadge } from './BrokenBadge.tsx';

/** The time and the user of a change. `NamesOf` loads the names for the whole page. */
export function TimeAndUser({ at, by }: { at: string; by: number | null }) {
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

/** The number of integrity issues by data set. The page loads the numbers after the list, because counting is slow. */
export const BrokenCountsContext = createContext<ReadonlyMap<number, number>>(new Map());

function BrokenCount({ id }: { id: number }) {
  const count = useContext(BrokenCountsContext).get(id) ?? 0;
  if (count === 0) return '–';
  return (
    <Link to={`/reference-data/${id}/integrity`} aria-label={`${formatNumber(count)} broken`}>
      <BrokenBadge count={count} bare />
    </Link>
  );
}

const { custom, text, count, countOrDash } = columnsOf<DataSetView>(DATA_SET_FIELDS);

const keyOf = ({ primaryKeyFields }: DataSetView) => primaryKeyFields.join(', ');

export const DATA_SET_COLUMNS = [
  text('name', {
    cell: (dataSet) => (
      <>
        <Link to={`/reference-data/${dataSet.id}`} title={dataSet.description} className={`font-medium ${linkClasses}`}>
          {dataSet.name}
        </Link>
        {dataSet.isPublic && (
          <Globe role="img" aria-label="Public in the graph" className="ml-1.5 inline size-3.5 text-muted" />
        )}
      </>
    ),
    required: true,
    wrap: true,
    minWidth: 200,
  }),
  text('description', { minWidth: 200, hidden: true }),
  text('typeName', { wrap: true, width: 108 }),
  custom('key', {
    header: 'Key',
    cell: (dataSet) => (
      <span className="inline-flex items-center gap-1 font-mono text-xs">
        <KeyRound aria-hidden="true" className="size-3 text-muted" />
        {keyOf(dataSet)}
      </span>
    ),
    value: keyOf,
    width: 120,
    hidden: true,
  }),
  custom('collections', {
    header: 'Collections',
    cell: (dataSet) => <Collections collections={dataSet.collections} />,
    value: (dataSet) => dataSet.collections.map(({ name }) => name).join(', '),
    minWidth: 130,
  }),
  count('instanceCount', { width: 84 }),
  countOrDash('pendingCount', { width: 124 }),
  countOrDash('crosswalkCount', { width: 96 }),
  custom('broken', { header: 'Broken', cell: (dataSet) => <BrokenCount id={dataSet.id} />, numeric: true, width: 72 }),
  text('updatedAt', { cell: (dataSet) => <TimeAndUser at={dataSet.updatedAt} by={dataSet.updatedBy} />, width: 192 }),
  text('level', { header: 'My level', cell: ({ level }) => <Badge tone="outline">{level}</Badge>, width: 84 }),
];

export const DATA_SET_FILTERS = filterFields(DATA_SET_FIELDS);
