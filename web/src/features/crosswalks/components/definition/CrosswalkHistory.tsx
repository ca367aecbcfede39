/** The version history of the crosswalk's definition. */
import type { CrosswalkHistoryView, CrosswalkView } from '@rdm/contracts/crosswalks/crosswalks';
import { StatusBadge } from '../../../../components/status-badge/index.tsx';
import { VersionHistory } from '../../../../components/version-history/index.tsx';
import { definitionHistoryQuery } from '../../../../lib/definitions/index.ts';
import { CARDINALITY_WORDS } from '../../../../lib/definitions/words.ts';
import { unmappedText } from './definition-labels.ts';

const fieldsOf = ({ definition }: CrosswalkHistoryView) => ({
  Name: definition.name,
  Description: definition.description,
  'Source attribute': definition.sourceAttribute,
  'Target attribute': definition.targetAttribute,
  Cardinality: CARDINALITY_WORDS[definition.cardinality],
  'Similarity threshold': definition.similarityThreshold,
  'Result for unmapped values': unmappedText(definition.unmapped),
  'Source label field': definition.chosenSourceLabelField,
  'Target label field': definition.chosenTargetLabelField,
});

export function CrosswalkHistory({ definition, onClose }: { definition: CrosswalkView; onClose: () => void }) {
  const { id, name, approvalStatus, isServed, deleted } = definition;
  return (
    <VersionHistory
      title={name}
      status={
        deleted ? (
          <span className="text-muted">Deleted</span>
        ) : (
          <>
            <StatusBadge status={approvalStatus} />
            {isServed && approvalStatus !== 'APPROVED' && (
              <span className="text-muted">the approved version stays in use</span>
            )}
          </>
        )
      }
      query={definitionHistoryQuery<CrosswalkHistoryView>('crosswalk', id)}
      fieldsOf={fieldsOf}
      onClose={onClose}
    />
  );
}
