/** The version history of a relationship value. */
import { DeletedNote } from '../../../../components/deletion-note/index.tsx';
import { StatusBadge } from '../../../../components/status-badge/index.tsx';
import { HistoryDrawer } from '../../../../components/version-history/index.tsx';
import { historyQuery, type ValueRow } from '../../api/values.ts';
import { approvedVersionText, pairText } from '../review-words.ts';
import { diffFields } from './value-diff.ts';

export interface ValueHistoryProps {
  value: ValueRow;
  /** Restores a deleted value; undefined if the user may not restore it. */
  onRestore?: (() => void) | undefined;
  onClose: () => void;
}

export function ValueHistory({ value, onRestore, onClose }: ValueHistoryProps) {
  const labels = [value.sourceLabel, value.targetLabel].filter((label) => label !== null);
  const approvedText = approvedVersionText(value);
  return (
    <HistoryDrawer
      title={<span className="font-mono">{pairText(value)}</span>}
      description={labels.join(' → ') || 'History'}
      query={historyQuery(value.relationshipId, value.id)}
      note={value.deleted && <DeletedNote by={value.updatedBy} at={value.updatedAt} onRestore={onRestore} />}
      status={
        <>
          <StatusBadge status={value.approvalStatus} />
          {approvedText !== undefined && (
            <span className="text-muted">
              Served: <span className="font-mono text-ink">{approvedText}</span>
            </span>
          )}
        </>
      }
      compare={diffFields}
      onClose={onClose}
    />
  );
}
