/** Columns of the tabs of mappings: on each tab the pair, its confidence and its last change. */
import { MAPPING_FIELDS } from '@rdm/contracts/crosswalks/list-fields';
import type { MappingView } from '@rdm/contracts/crosswalks/mappings';
import { TriangleAlert, Unlink } from 'lucide-react';
import { createContext, useContext } from 'react';
import { columnsOf, type GridColumn } from '../../../../components/data-grid/index.ts';
import { Badge } from '../../../../components/ui/badge.tsx';
import { cn } from '../../../../components/ui/cn.ts';
import { filterFields } from '../../../../lib/filters/filter-fields.ts';
import type { MappingStatusTab } from '../../api/mappings.ts';
import { Confidence } from '../suggestions/Confidence.tsx';
import { STATUS_WORDS } from './cardinality-warning.ts';
import type { GroupPosition } from './siblings.ts';

/** The position of each row in the group of mappings with the same source value, by row id. */
export const GroupsContext = createContext<ReadonlyMap<number, GroupPosition>>(new Map());
/** Whether several targets of one source value are shown as a warning. */
export const OneTargetContext = createContext(true);

/** Preserves the blanks of a value in cells with and without line wrapping. */
export const valueClasses = 'font-mono [white-space-collapse:preserve]';
/** Labels are cut at this length: a longer label could make its row taller than the screen. */
const LABEL_CHARACTERS = 200;

export const NO_ROW = 'No row has this value any more';

/** The mark for a value that no row of its data set has. */
function BrokenMark({ end }: { end: 'source' | 'target' }) {
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
  const position = useContext(GroupsContext).get(row.id);
  return (
    <span data-row-key={row.id}>
      {position?.continues === true ? (
        <span className="text-muted">
          <span aria-hidden="true">└ </span>
          <span className={valueClasses}>{row.sourceValue}</span>
        </span>
      ) : (
        <Value value={row.sourceValue} label={row.sourceLabel} missing={row.sourceMissing} />
      )}
      {row.sourceMissing && position?.continues !== true && <BrokenMark end="source" />}
    </span>
  );
}

function TargetCell({ row }: { row: MappingView }) {
  const others = useContext(GroupsContext).get(row.id)?.others ?? [];
  const isOneTarget = useContext(OneTargetContext);
  const servedTarget =
    row.served !== null && row.served.targetValue !== row.targetValue ? row.served.targetValue : undefined;
  return (
    <>
      <Value value={row.targetValue} label={row.targetLabel} missing={row.targetMissing} />
      {row.targetMissing && <BrokenMark end="target" />}
      {row.deletionRequested && <Badge className="ml-2">Deletion requested</Badge>}
      {servedTarget !== undefined && (
        <Badge tone="outline" className="ml-2">
          Served: <span className="font-mono">{servedTarget}</span>
        </Badge>
      )}
      {servedTarget !== undefined && row.servedMissing && <BrokenMark end="target" />}
      {others.length > 0 && (
        <span className={cn('flex items-center gap-1 text-xs', isOneTarget ? 'text-pending-text' : 'text-muted')}>
          {isOneTarget && <TriangleAlert aria-hidden="true" className="size-3.5 shrink-0" />}
          <span>
            {others.length === 1 ? 'Other target' : 'Other targets'}:{' '}
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

const { text, custom, person, time, status } = columnsOf<MappingView>(MAPPING_FIELDS);

const pairAndConfidence = [
  text('sourceValue', {
    header: 'Source',
    cell: (row) => <SourceCell row={row} />,
    required: true,
    minWidth: 150,
    wrap: true,
  }),
  text('targetValue', {
    header: 'Target',
    cell: (row) => <TargetCell row={row} />,
    required: true,
    minWidth: 190,
    wrap: true,
  }),
  custom('confidence', {
    cell: (row) => <Confidence value={row.confidence} />,
    value: (row) => row.confidence,
    numeric: true,
    width: 112,
  }),
];

const USER = { width: 140 };

export const MAPPING_COLUMNS: Record<MappingStatusTab, readonly GridColumn<MappingView>[]> = {
  draft: [...pairAndConfidence, person('createdBy', USER), time('updatedAt', { width: 140 })],
  pending: [...pairAndConfidence, person('submittedBy', USER), time('submittedAt', { width: 140 })],
  approved: [...pairAndConfidence, person('approvedBy', USER), time('approvedAt', { width: 140 })],
  rejected: [
    ...pairAndConfidence,
    text('rejectionReason', { cell: ({ rejectionReason }) => rejectionReason ?? '—', minWidth: 180, wrap: true }),
    person('rejectedBy', USER),
    time('rejectedAt', { width: 140 }),
  ],
  broken: [...pairAndConfidence, status('status', { width: 120 }), time('updatedAt', { width: 140 })],
  deleted: [
    ...pairAndConfidence,
    status('status', { header: 'Last status', width: 120 }),
    person('updatedBy', { ...USER, header: 'Deleted by' }),
    time('updatedAt', { header: 'Deleted', width: 140 }),
  ],
};

export const MAPPING_FILTERS = filterFields(MAPPING_FIELDS);
