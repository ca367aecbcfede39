/** Columns of the status tabs: the pair, its confidence, and its last change. */
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import type { FilterField } from '@rdm/contracts/lists/filter';
import { TriangleAlert, Unlink } from 'lucide-react';
import { createContext, useContext } from 'react';
import type { GridColumn } from '../../../../components/data-grid/index.ts';
import { Person } from '../../../../components/people/index.tsx';
import { StatusBadge } from '../../../../components/status-badge/index.tsx';
import { RelativeTime } from '../../../../components/timeline/index.tsx';
import { Badge } from '../../../../components/ui/badge.tsx';
import { cn } from '../../../../components/ui/cn.ts';
import type { StatusTab } from '../../api/mappings.ts';
import { Confidence } from '../suggestions/Confidence.tsx';
import { STATUS_WORDS } from './cardinality-warning.ts';
import type { GroupPosition } from './siblings.ts';

/** The position of each row in its group. */
export const GroupsContext = createContext<ReadonlyMap<number, GroupPosition>>(new Map());
/** Whether each source value should have one target: several are a warning then, else only information. */
export const OneTargetContext = createContext(true);

/** Blanks in a value are displayed exactly, whether its cell wraps or not. */
export const valueClasses = 'font-mono [white-space-collapse:preserve]';
/** A longer label would make its row taller than the screen. */
const LABEL_CHARACTERS = 200;

export const NO_ROW = 'No row has this value any more';

/** Marks a value that exists in no row of its data set. */
function Missing({ end }: { end: 'source' | 'target' }) {
  return (
    <Badge className="ml-2" title={NO_ROW}>
      <Unlink aria-hidden="true" className="size-3" />
      Broken {end}
    </Badge>
  );
}

export function Value({ value, label, missing = false }: { value: string; label: string | null; missing?: boolean }) {
  const isLong = label !== null && label.length > LABEL_CHARACTERS;
  return (
    <>
      <span className={cn(valueClasses, missing && 'line-through')}>{value}</span>
      {label !== null && (
        <span className="ml-2 text-muted" title={isLong ? label : undefined}>
          {isLong ? `${label.slice(0, LABEL_CHARACTERS)}…` : label}
        </span>
      )}
    </>
  );
}

function SourceCell({ row }: { row: MappingView }) {
  const placed = useContext(GroupsContext).get(row.id);
  return (
    <span data-row-key={row.id}>
      {placed?.continues === true ? (
        <span className="text-muted">
          <span aria-hidden="true">└ </span>
          <span className={valueClasses}>{row.sourceValue}</span>
        </span>
      ) : (
        <Value value={row.sourceValue} label={row.sourceLabel} missing={row.sourceMissing} />
      )}
      {row.sourceMissing && placed?.continues !== true && <Missing end="source" />}
    </span>
  );
}

function TargetCell({ row }: { row: MappingView }) {
  const others = useContext(GroupsContext).get(row.id)?.others ?? [];
  const meansOne = useContext(OneTargetContext);
  const serves = row.served !== null && row.served.targetValue !== row.targetValue ? row.served.targetValue : undefined;
  return (
    <>
      <Value value={row.targetValue} label={row.targetLabel} missing={row.targetMissing} />
      {row.targetMissing && <Missing end="target" />}
      {row.deletionRequested && <Badge className="ml-2">Deletion requested</Badge>}
      {serves !== undefined && (
        <Badge tone="outline" className="ml-2">
          serves <span className="font-mono">{serves}</span> meanwhile
        </Badge>
      )}
      {serves !== undefined && row.servedMissing && <Missing end="target" />}
      {others.length > 0 && (
        <span className={cn('flex items-center gap-1 text-xs', meansOne ? 'text-pending-text' : 'text-muted')}>
          {meansOne && <TriangleAlert aria-hidden="true" className="size-3.5 shrink-0" />}
          <span>
            One-to-many: also{' '}
            {others.map(({ id, targetValue, status }, index) => (
              <span key={id}>
                {index > 0 && ', '}
                <span className="font-mono">{targetValue}</span> ({STATUS_WORDS[status]})
              </span>
            ))}
          </span>
        </span>
      )}
    </>
  );
}

const pair: readonly GridColumn<MappingView>[] = [
  {
    id: 'sourceValue',
    header: 'Source',
    cell: (row) => <SourceCell row={row} />,
    value: (row) => row.sourceValue,
    sortable: true,
    required: true,
    minWidth: 150,
    wrap: true,
  },
  {
    id: 'targetValue',
    header: 'Target',
    cell: (row) => <TargetCell row={row} />,
    value: (row) => row.targetValue,
    sortable: true,
    required: true,
    minWidth: 190,
    wrap: true,
  },
  {
    id: 'confidence',
    header: 'Confidence',
    cell: (row) => <Confidence value={row.confidence} />,
    value: (row) => row.confidence,
    sortable: true,
    numeric: true,
    width: 112,
  },
];

const person = (id: string, header: string, of: (row: MappingView) => number | null): GridColumn<MappingView> => ({
  id,
  header,
  cell: (row) => <Person id={of(row)} />,
  width: 140,
});

const moment = (id: string, header: string, of: (row: MappingView) => string | null): GridColumn<MappingView> => ({
  id,
  header,
  cell: (row) => {
    const at = of(row);
    return at === null || at === '' ? <span className="text-muted">—</span> : <RelativeTime at={at} />;
  },
  value: of,
  sortable: true,
  width: 140,
});

export const MAPPING_COLUMNS: Record<StatusTab, readonly GridColumn<MappingView>[]> = {
  draft: [
    ...pair,
    person('createdBy', 'Created by', (row) => row.createdBy),
    moment('updatedAt', 'Changed', (row) => row.updatedAt),
  ],
  pending: [
    ...pair,
    person('submittedBy', 'Submitted by', (row) => row.submittedBy),
    moment('submittedAt', 'Submitted', (row) => row.submittedAt),
  ],
  approved: [
    ...pair,
    person('approvedBy', 'Approved by', (row) => row.approvedBy),
    moment('approvedAt', 'Approved', (row) => row.approvedAt),
  ],
  rejected: [
    ...pair,
    {
      id: 'rejectionReason',
      header: 'Reason',
      cell: (row) => row.rejectionReason ?? '—',
      value: (row) => row.rejectionReason,
      sortable: true,
      minWidth: 180,
      wrap: true,
    },
    person('rejectedBy', 'Rejected by', (row) => row.rejectedBy),
    moment('rejectedAt', 'Rejected', (row) => row.rejectedAt),
  ],
  broken: [
    ...pair,
    {
      id: 'status',
      header: 'Status',
      cell: (row) => <StatusBadge status={row.status} />,
      value: (row) => row.status,
      sortable: true,
      width: 120,
    },
    moment('updatedAt', 'Changed', (row) => row.updatedAt),
  ],
  deleted: [
    ...pair,
    {
      id: 'status',
      header: 'Last status',
      cell: (row) => <StatusBadge status={row.status} />,
      value: (row) => row.status,
      sortable: true,
      width: 120,
    },
    person('updatedBy', 'Deleted by', (row) => row.updatedBy),
    moment('updatedAt', 'Deleted', (row) => row.updatedAt),
  ],
};

export const MAPPING_FILTERS: readonly FilterField[] = [
  { name: 'sourceValue', label: 'Source value', dataType: 'string' },
  { name: 'targetValue', label: 'Target value', dataType: 'string' },
  { name: 'servedValue', label: 'Served value', dataType: 'string' },
  { name: 'confidence', label: 'Confidence', dataType: 'number' },
  { name: 'origin', label: 'Origin', dataType: 'string' },
  { name: 'deletionRequested', label: 'Deletion requested', dataType: 'boolean' },
  { name: 'submittedAt', label: 'Submitted', dataType: 'datetime' },
  { name: 'approvedAt', label: 'Approved', dataType: 'datetime' },
  { name: 'rejectedAt', label: 'Rejected', dataType: 'datetime' },
  { name: 'rejectionReason', label: 'Reason', dataType: 'string' },
  { name: 'updatedAt', label: 'Changed', dataType: 'datetime' },
];
