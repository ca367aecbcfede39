/** The list of crosswalks: data sets, mapped share, and status. */

import { hasLevel } from '@rdm/contracts/access/permissions';
import type { CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { ArrowRightLeft, CircleHelp, Copy, Pencil } from 'lucide-react';
import { useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { RowAction } from '../../../components/data-grid/index.ts';
import { DefinitionList } from '../../../components/definitions/list.tsx';
import { PAST_IS_READ_ONLY } from '../../../lib/api/index.ts';
import { useIsPast } from '../../../lib/past/index.ts';
import type { CopyMode } from '../api/crosswalks.ts';
import { COPY_WORDS, CopyCrosswalkDialog } from '../components/definition/CopyCrosswalkDialog.tsx';
import {
  CROSSWALK_COLUMNS,
  CROSSWALK_FILTERS,
  DELETED_CROSSWALK_COLUMNS,
} from '../components/definition/crosswalk-columns.tsx';
import { CROSSWALK } from '../components/definition/crosswalk-kind.ts';

/** The bulk verbs in the order of their buttons. This page revokes crosswalks only one at a time. */
const BULK_VERBS = ['submit', 'approve', 'reject', 'recall', 'discard', 'delete'] as const;

export default function CrosswalkList() {
  const navigate = useNavigate();
  const isPast = useIsPast();
  const [copy, setCopy] = useState<{ crosswalk: CrosswalkView; mode: CopyMode }>();

  const actionsOf = (row: CrosswalkView): readonly RowAction<CrosswalkView>[] => [
    {
      label: 'Edit',
      icon: Pencil,
      onSelect: () => void navigate(`/crosswalks/${row.id}/edit`),
      unavailable: row.level === 'ADMIN' ? undefined : 'Editing needs ADMIN on the source data set',
    },
    {
      label: COPY_WORDS.duplicate.action,
      icon: Copy,
      onSelect: () => setCopy({ crosswalk: row, mode: 'duplicate' }),
      unavailable: hasLevel(row.level, 'WRITE') ? undefined : 'Duplicating needs WRITE on the source data set',
    },
    {
      label: COPY_WORDS.reverse.action,
      icon: ArrowRightLeft,
      onSelect: () => setCopy({ crosswalk: row, mode: 'reverse' }),
      unavailable: isPast ? PAST_IS_READ_ONLY : undefined,
    },
  ];

  return (
    <>
      <DefinitionList
        kind={CROSSWALK}
        description="Mappings between the values of two data sets."
        purpose="A crosswalk maps the values of one data set to the values of another data set."
        columns={CROSSWALK_COLUMNS}
        deletedColumns={DELETED_CROSSWALK_COLUMNS}
        filterFields={CROSSWALK_FILTERS}
        bulkVerbs={BULK_VERBS}
        actionsOf={actionsOf}
        relatedPage={{ to: '/missing-mappings', label: 'Missing mappings', icon: CircleHelp }}
      />
      {copy !== undefined && <CopyCrosswalkDialog {...copy} onClose={() => setCopy(undefined)} />}
    </>
  );
}
