/**
 * The header of a relationship's values: source and target, cardinality, the buttons that add and import values, and
 * the actions on the relationship itself.
 */
import { hasLevel } from '@rdm/contracts/access/permissions';
import type { RelationshipView } from '@rdm/contracts/relationships/relationships';
import { Copy, FileUp, Pencil, Plus } from 'lucide-react';
import { useNavigate } from 'react-router-dom';
import { DefinitionHeader } from '../../../../components/definitions/header.tsx';
import { useDefinitionReview } from '../../../../components/review/definition-review.tsx';
import { Alert } from '../../../../components/ui/alert.tsx';
import { Badge } from '../../../../components/ui/badge.tsx';
import { Button } from '../../../../components/ui/button.tsx';
import { MenuItem } from '../../../../components/ui/dropdown-menu.tsx';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { CARDINALITY_WORDS } from '../../../../lib/definitions/words.ts';
import { CARDINALITY_RULES } from '../cardinality-labels.ts';
import { RelationshipEnds } from '../columns.tsx';
import { RELATIONSHIP } from '../relationship-kind.ts';

export interface ValuesHeaderProps {
  relationship: RelationshipView;
  onAdd: () => void;
  onImport: () => void;
  onCopy: () => void;
  onUndoable: (undoable: Undoable) => void;
}

export function ValuesHeader({ relationship, onAdd, onImport, onCopy, onUndoable }: ValuesHeaderProps) {
  const navigate = useNavigate();
  const review = useDefinitionReview(RELATIONSHIP, onUndoable);
  const mayWrite = hasLevel(relationship.level, 'WRITE');

  return (
    <>
      <DefinitionHeader
        kind={RELATIONSHIP}
        definition={relationship}
        badges={
          <>
            <Badge className="font-normal" title={CARDINALITY_RULES[relationship.cardinality]}>
              {CARDINALITY_WORDS[relationship.cardinality]}
            </Badge>
            {relationship.relationshipType !== '' && (
              <Badge tone="outline" className="font-normal">
                {relationship.relationshipType}
              </Badge>
            )}
          </>
        }
        description={<RelationshipEnds relationship={relationship} />}
        actions={
          mayWrite && (
            <>
              <Button onClick={onImport}>
                <FileUp />
                Import
              </Button>
              <Button variant="primary" onClick={onAdd}>
                <Plus />
                Add value
              </Button>
            </>
          )
        }
        menuItems={
          <>
            <MenuItem onSelect={() => void navigate(`/relationships/${relationship.id}`)}>
              <Pencil />
              {relationship.level === 'ADMIN' ? 'Edit definition' : 'Show definition'}
            </MenuItem>
            {mayWrite && (
              <MenuItem onSelect={onCopy}>
                <Copy />
                Copy as…
              </MenuItem>
            )}
          </>
        }
        verbs={RELATIONSHIP.verbsOf(relationship)}
        hasVerbIcons
        review={review}
      />
      {relationship.deletionRequested && (
        <Alert tone="warning" className="mb-4" title="The deletion of this relationship waits for a review">
          An approver decides on the deletion. Until then the values of the relationship stay in use.
        </Alert>
      )}
    </>
  );
}
