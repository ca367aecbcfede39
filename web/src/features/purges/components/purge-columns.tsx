/** Columns of the lists of purges. */
import type { PurgeView } from '@rdm/contracts/admin/purge-requests';
import { columnsOf, NONE } from '../../../components/data-grid/index.ts';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { bytes } from '../../../lib/bytes.ts';
import { contentText, kindLabel, stateText } from './words.ts';

const { custom, number, text } = columnsOf<PurgeView>();

/** A column whose text is derived from the row. */
const textColumn = (
  id: string,
  textOf: (purge: PurgeView) => string,
  options: { header: string; width?: number; minWidth?: number },
) => custom(id, { value: textOf, cell: textOf, wrap: true, ...options });

const SHARED_COLUMNS = [
  number('id', { header: 'Purge', width: 72, required: true }),
  textColumn('kind', ({ kind }) => kindLabel(kind), { header: 'Kind of data', width: 200 }),
  textColumn('counts', contentText, { header: 'Contains', minWidth: 220 }),
  textColumn('status', stateText, { header: 'State', minWidth: 220 }),
  text('reason', { header: 'Reason', minWidth: 160, wrap: true }),
  custom('requestedBy', {
    header: 'Requested',
    value: ({ requestedBy }) => requestedBy,
    width: 176,
    cell: ({ requestedBy, requestedAt }) => (
      <>
        {requestedBy}{' '}
        {requestedAt !== null && (
          <span className="text-muted">
            <RelativeTime at={requestedAt} />
          </span>
        )}
      </>
    ),
  }),
];

export const OPEN_COLUMNS = SHARED_COLUMNS;

export const ENDED_COLUMNS = [
  ...SHARED_COLUMNS,
  text('confirmedBy', { header: 'Confirmed', width: 120 }),
  custom('bytes', {
    header: 'Freed',
    numeric: true,
    value: ({ bytes: size }) => size,
    width: 96,
    // The size is negative if the rewritten files of the log need more space than the deleted events had.
    cell: ({ bytes: size }) => (size === null ? NONE : bytes(Math.max(0, size))),
  }),
];
