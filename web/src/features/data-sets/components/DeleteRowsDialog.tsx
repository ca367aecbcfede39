/** Requests confirmation before rows are deleted, and lists the references that the deletion would break. */
import type { DeletionImpact } from '@rdm/contracts/data-sets/instance-paste';
import { Figures } from '../../../components/page/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { formatNumber } from '../../../lib/number-format.ts';
import { Dependant, Dependants } from './Dependants.tsx';

export interface DeleteRowsDialogProps {
  impact: DeletionImpact;
  onClose: () => void;
  onDelete: () => void;
}

const countText = (count: number, singular: string, plural: string) =>
  `${formatNumber(count)} ${count === 1 ? singular : plural}`;
const servedText = (servedCount: number) => (servedCount > 0 ? ` · ${formatNumber(servedCount)} in use` : '');

export function DeleteRowsDialog({ impact, onClose, onDelete }: DeleteRowsDialogProps) {
  const { rowCount, referencedCount, crosswalks, relationships, hidden } = impact;
  const isOne = rowCount === 1;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Delete ${countText(rowCount, 'row', 'rows')}?`}
      description={
        isOne
          ? 'It is removed from the data set. You can undo the deletion immediately afterwards. Its history stays.'
          : 'They are removed from the data set. You can undo the deletion immediately afterwards. Their history stays.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" onClick={onDelete}>
            Delete
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {referencedCount === 0 ? (
          <p className="text-muted">There are no references to {isOne ? 'it' : 'them'}.</p>
        ) : (
          <>
            <Figures
              figures={[
                { label: 'Rows', value: rowCount },
                { label: 'Referenced rows', value: referencedCount },
                { label: 'Crosswalks', value: crosswalks.length },
                { label: 'Relationships', value: relationships.length },
              ]}
            />
            <Alert tone="warning" title={referencedTitle(impact)}>
              References to {referencedCount === 1 ? 'it' : 'them'} will be shown as broken. Approved mappings and
              values stay in use until an approver revokes them.
            </Alert>
            <Dependants title="Crosswalks">
              {crosswalks.map(({ id, name, count, servedCount }) => (
                <Dependant key={id} to={`/crosswalks/${id}/mappings`} name={name}>
                  {countText(count, 'mapping', 'mappings')}
                  {servedText(servedCount)}
                </Dependant>
              ))}
            </Dependants>
            <Dependants title="Relationships">
              {relationships.map(({ id, name, count, servedCount }) => (
                <Dependant key={id} to={`/relationships/${id}/values`} name={name}>
                  {countText(count, 'value', 'values')}
                  {servedText(servedCount)}
                </Dependant>
              ))}
            </Dependants>
            {hidden > 0 && (
              <p className="text-muted">
                {countText(hidden, 'more crosswalk or relationship', 'more crosswalks or relationships')} that you
                cannot read.
              </p>
            )}
          </>
        )}
      </div>
    </Dialog>
  );
}

function referencedTitle({ rowCount, referencedCount }: DeletionImpact): string {
  if (rowCount === 1) return 'This row is referenced';
  if (referencedCount === rowCount) return 'These rows are referenced';
  return `${countText(referencedCount, 'row is', 'rows are')} referenced`;
}
