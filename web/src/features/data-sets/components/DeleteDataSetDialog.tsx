/**
 * Requests confirmation before a data set is deleted, and lists relationships and crosswalks that must be deleted
 * first.
 */
import type { DataSetView } from '@rdm/contracts/data-sets/data-sets';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ErrorState } from '../../../components/empty-state/index.tsx';
import { Figures } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Skeleton } from '../../../components/ui/skeleton.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { formatNumber } from '../../../lib/number-format.ts';
import { deleteDataSet, dependenciesQuery, reloadDataSets } from '../api/data-sets.ts';
import { Dependant, Dependants } from './Dependants.tsx';

export interface DeleteDataSetDialogProps {
  dataSet: DataSetView;
  onClose: () => void;
  onDeleted?: () => void;
}

export function DeleteDataSetDialog({ dataSet, onClose, onDeleted }: DeleteDataSetDialogProps) {
  const queries = useQueryClient();
  const { data, error, isFetching, refetch } = useQuery(dependenciesQuery(dataSet.id));
  const [acknowledged, setAcknowledged] = useState(false);
  const [busy, setBusy] = useState(false);
  const analysis = isFetching ? undefined : data;
  const hiddenCount = analysis === undefined ? 0 : analysis.hidden.relationships + analysis.hidden.crosswalkMappings;
  const hiddenText =
    hiddenCount === 1
      ? '1 more crosswalk or relationship'
      : `${formatNumber(hiddenCount)} more crosswalks or relationships`;
  const relationshipCount = analysis?.relationships.length ?? 0;
  const crosswalkCount = analysis?.crosswalkMappings.length ?? 0;
  const hasDependants = relationshipCount + crosswalkCount + hiddenCount > 0;
  const rowCount = dataSet.instanceCount;
  const deletionText = `${formatNumber(rowCount)} ${rowCount === 1 ? 'row is' : 'rows are'} deleted`;

  async function remove() {
    setBusy(true);
    try {
      await deleteDataSet(dataSet.id, dataSet.revision);
      notify.success('Data set deleted', { description: dataSet.name });
      onDeleted?.();
      await reloadDataSets(queries);
      onClose();
    } catch (failure) {
      notify.error(messageOf(failure), { title: 'The data set was not deleted' });
      setBusy(false);
      void refetch();
    }
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete ${dataSet.name}?`}
      description="A data set can be deleted when no relationship or crosswalk uses it."
      footer={
        <>
          <Button onClick={onClose}>{hasDependants ? 'Close' : 'Cancel'}</Button>
          {!hasDependants && (
            <Button
              variant="danger"
              disabled={analysis === undefined || busy || (rowCount > 0 && !acknowledged)}
              aria-busy={busy}
              onClick={() => void remove()}
            >
              Delete
            </Button>
          )}
        </>
      }
    >
      {error !== null && !isFetching && <ErrorState error={error} onRetry={() => void refetch()} />}
      {error === null && analysis === undefined && <Skeleton className="w-1/2" />}
      {analysis !== undefined && (
        <div className="flex flex-col gap-4">
          <Figures
            figures={[
              { label: 'Rows', value: rowCount },
              { label: 'Relationships', value: relationshipCount + analysis.hidden.relationships },
              { label: 'Crosswalks', value: crosswalkCount + analysis.hidden.crosswalkMappings },
            ]}
          />
          {hasDependants ? (
            <>
              <Alert tone="warning" title="This data set cannot be deleted yet">
                It has relationships or crosswalks: delete them first.
              </Alert>
              <Dependants title="Crosswalks">
                {analysis.crosswalkMappings.map(({ id, name, source, target, mappingCount }) => (
                  <Dependant key={id} to={`/crosswalks/${id}/mappings`} name={name}>
                    {source} → {target} · {formatNumber(mappingCount)} {mappingCount === 1 ? 'mapping' : 'mappings'}
                  </Dependant>
                ))}
              </Dependants>
              <Dependants title="Relationships">
                {analysis.relationships.map(({ id, name, source, target }) => (
                  <Dependant key={id} to={`/relationships/${id}/values`} name={name}>
                    {source} → {target}
                  </Dependant>
                ))}
              </Dependants>
              {hiddenCount > 0 && <p className="text-muted">You cannot read {hiddenText}.</p>}
            </>
          ) : (
            <>
              <p>
                No relationship or crosswalk uses it. {rowCount > 0 && `Its ${deletionText} with it. `}
                This action cannot be undone.
              </p>
              {rowCount > 0 && (
                <LabelledCheckbox
                  checked={acknowledged}
                  onCheckedChange={(checked) => setAcknowledged(checked === true)}
                  label={`I understand that ${deletionText}.`}
                />
              )}
            </>
          )}
        </div>
      )}
    </Dialog>
  );
}
