/** The header of a data set's rows: its name, and the actions on the whole data set. */

import { mayOpen } from '@rdm/contracts/access/permissions';
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { useQuery } from '@tanstack/react-query';
import {
  ArchiveRestore,
  Columns3,
  EllipsisVertical,
  ListChecks,
  Network,
  Pencil,
  Plus,
  Trash2,
  Undo2,
  Upload,
} from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { lastImportQuery } from '../../../components/import-undo/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Menu, MenuItem } from '../../../components/ui/dropdown-menu.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';

export interface InstancesHeaderProps {
  dataSet: DataSetView;
  importButton: ReactNode;
  addButton: ReactNode;
  /** Opens the dialog that undoes an import; undefined if the user cannot change rows now. */
  onUndoImport: ((job: JobView) => void) | undefined;
  onEdit: () => void;
  onDelete: () => void;
}

/** Memoised, so that the header does not re-render when rows are loaded. */
export const InstancesHeader = memo(function InstancesHeader({
  dataSet,
  importButton,
  addButton,
  onUndoImport,
  onEdit,
  onDelete,
}: InstancesHeaderProps) {
  const user = useCurrentUser();
  return (
    <PageHeader
      title={dataSet.name}
      description={dataSet.description === '' ? undefined : dataSet.description}
      actions={
        <>
          <Button asChild variant="ghost">
            <Link to={`/reference-data/${dataSet.id}/graph`}>
              <Network />
              Graph
            </Link>
          </Button>
          {importButton}
          {addButton}
          <Menu
            trigger={
              <Button variant="ghost" size="icon" aria-label="More actions">
                <EllipsisVertical />
              </Button>
            }
          >
            <MenuItem asChild>
              <Link to={`/reference-data/${dataSet.id}/deleted`}>
                <ArchiveRestore />
                Deleted rows
              </Link>
            </MenuItem>
            {onUndoImport && <UndoLastImport dataSetId={dataSet.id} onUndo={onUndoImport} />}
            {dataSet.crosswalkCount > 0 && (
              <MenuItem asChild>
                <Link to={`/crosswalk/comparison/${dataSet.id}`}>
                  <Columns3 />
                  Compare source data sets
                </Link>
              </MenuItem>
            )}
            {mayOpen('/validation-test', user) && (
              <MenuItem asChild>
                <Link to={`/validation-test?dataSet=${dataSet.id}`}>
                  <ListChecks />
                  Validate rows
                </Link>
              </MenuItem>
            )}
            {dataSet.level === 'ADMIN' && (
              <>
                <MenuItem onSelect={onEdit}>
                  <Pencil />
                  Edit details
                </MenuItem>
                <MenuItem className="text-danger-text" onSelect={onDelete}>
                  <Trash2 />
                  Delete data set
                </MenuItem>
              </>
            )}
          </Menu>
        </>
      }
    />
  );
});

/** The menu item that opens the dialog to undo the last import; omitted if no import can be undone. */
function UndoLastImport({ dataSetId, onUndo }: { dataSetId: number; onUndo: (job: JobView) => void }) {
  const { data: job } = useQuery(lastImportQuery(dataSetId));
  if (!job) return null;
  return (
    <MenuItem onSelect={() => onUndo(job)}>
      <Undo2 />
      Undo last import
    </MenuItem>
  );
}

export const ImportButton = ({ dataSetId }: { dataSetId: number }) => (
  <Button asChild>
    <Link to={`/reference-data/${dataSetId}/import`}>
      <Upload />
      Import
    </Link>
  </Button>
);

export const AddButton = ({ readOnlyReason, onAdd }: { readOnlyReason: string | undefined; onAdd: () => void }) => (
  <Button variant="primary" disabled={readOnlyReason !== undefined} title={readOnlyReason} onClick={onAdd}>
    <Plus />
    Add row
  </Button>
);
