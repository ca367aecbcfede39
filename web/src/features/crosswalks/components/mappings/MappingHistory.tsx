/** The version history of a mapping. */
import type { MappingHistoryView, MappingView } from '@rdm/contracts/crosswalks/mappings';
import { DeletedNote } from '../../../../components/deletion-note/index.tsx';
import type { DiffField } from '../../../../components/diff/index.tsx';
import { StatusBadge } from '../../../../components/status-badge/index.tsx';
import { HistoryDrawer } from '../../../../components/version-history/index.tsx';
import { historyQuery } from '../../api/mappings.ts';

export interface MappingHistoryProps {
  mapping: MappingView;
  /** Restores a deleted mapping; undefined if the user may not restore it. */
  onRestore?: (() => void) | undefined;
  onClose: () => void;
}

export function MappingHistory({ mapping, onRestore, onClose }: MappingHistoryProps) {
  const labels = [mapping.sourceLabel, mapping.targetLabel].filter((label) => label !== null);
  return (
    <HistoryDrawer
      title={
        <span className="font-mono">
          {mapping.sourceValue} → {mapping.targetValue}
        </span>
      }
      description={labels.join(' → ') || 'History'}
      query={historyQuery(mapping.crosswalkId, mapping.id)}
      note={mapping.deleted && <DeletedNote by={mapping.updatedBy} at={mapping.updatedAt} onRestore={onRestore} />}
      status={
        <>
          <StatusBadge status={mapping.status} />
          {mapping.served !== null && (
            <span className="text-muted">
              Served: <span className="font-mono text-ink">{mapping.served.targetValue}</span>
            </span>
          )}
        </>
      }
      compare={compare}
      onClose={onClose}
    />
  );
}

const compare = (before: MappingHistoryView, after: MappingHistoryView): DiffField[] => [
  { label: 'Target', before: before.targetValue, after: after.targetValue },
  { label: 'Confidence', before: before.confidence, after: after.confidence },
];
