/** The drawer of the row whose id is in the URL, also if the row is not on screen or is deleted. */
import type { InstanceView } from '@rdm/contracts/data-sets/instances';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { currentInstance, deletedInstanceQuery, instancesKey } from '../api/instances.ts';
import { RowDrawer } from './RowDrawer.tsx';

export interface LinkedRowDrawerProps {
  dataSetId: number;
  /** The id of the row in the URL. */
  linkedRowId: number;
  /** The row, if it is on screen. */
  displayedRow: InstanceView | undefined;
  fields: readonly string[];
  /** Why rows cannot be changed; undefined if they can. */
  readOnlyReason: string | undefined;
  /** Restores the row if it is deleted; undefined for users without WRITE. */
  onRestore: ((row: InstanceView) => void) | undefined;
  /** Called with the found row; not called for a deleted row. */
  onFound: (row: InstanceView) => void;
  onClose: () => void;
}

export function LinkedRowDrawer(props: LinkedRowDrawerProps) {
  const { dataSetId, linkedRowId, displayedRow, onRestore, onFound } = props;
  const current = useQuery({
    queryKey: [...instancesKey(dataSetId), 'key', linkedRowId],
    queryFn: async () => (await currentInstance(dataSetId, linkedRowId)) ?? null,
    enabled: displayedRow === undefined,
  });
  const currentRow = displayedRow ?? current.data;
  useEffect(() => {
    if (currentRow) onFound(currentRow);
  }, [currentRow, onFound]);
  const isMissing = displayedRow === undefined && current.data === null;
  const deletedRow = useQuery({ ...deletedInstanceQuery(dataSetId, linkedRowId), enabled: isMissing }).data;
  return (
    <RowDrawer
      dataSetId={dataSetId}
      row={{ id: linkedRowId, key: (currentRow ?? deletedRow)?.key ?? `Row ${linkedRowId}` }}
      fields={props.fields}
      deleted={
        isMissing && deletedRow
          ? {
              by: deletedRow.updatedBy,
              at: deletedRow.updatedAt,
              onRestore: onRestore && (() => onRestore(deletedRow)),
              unavailable: props.readOnlyReason,
            }
          : undefined
      }
      onClose={props.onClose}
    />
  );
}
