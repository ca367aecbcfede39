/** The versions of a relationship's definition, and whether the relationship is deleted. */
import type {
  AttributeView,
  RelationshipHistoryView,
  RelationshipView,
} from '@rdm/contracts/relationships/relationships';
import { StatusBadge } from '../../../components/status-badge/index.tsx';
import { VersionHistory } from '../../../components/version-history/index.tsx';
import { definitionHistoryQuery } from '../../../lib/definitions/index.ts';
import { CARDINALITY_WORDS } from '../../../lib/definitions/words.ts';

const attributeText = ({
  name,
  dataType,
  isRequired,
}: Pick<AttributeView, 'name' | 'dataType' | 'isRequired'>): string =>
  `${name} (${dataType}${isRequired ? ', required' : ''})`;

const fieldsOf = ({ definition }: RelationshipHistoryView) => ({
  Name: definition.name,
  Type: definition.relationshipType,
  Cardinality: CARDINALITY_WORDS[definition.cardinality],
  'Self-relations': definition.allowSelfRelationship ? 'allowed' : 'not allowed',
  Attributes: definition.attributes.map(attributeText).join(', '),
});

export function RelationshipHistory({ definition, onClose }: { definition: RelationshipView; onClose: () => void }) {
  const { id, name, deleted, deletionRequested } = definition;
  return (
    <VersionHistory
      title={name}
      status={
        deleted ? (
          <span className="text-muted">Deleted</span>
        ) : deletionRequested ? (
          <StatusBadge status="PENDING">Deletion pending</StatusBadge>
        ) : (
          <span className="text-muted">In force</span>
        )
      }
      query={definitionHistoryQuery<RelationshipHistoryView>('relationship', id)}
      fieldsOf={fieldsOf}
      onClose={onClose}
    />
  );
}
