/**
 * Copies a relationship, with new rules if the user changes them. Values that satisfy the rules become drafts; the
 * dialog lists the first values that do not.
 */
import type { Cardinality, RelationshipCopied, RelationshipView } from '@rdm/contracts/relationships/relationships';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { CopyDialog, RowsNotCopied } from '../../../components/definitions/copy-dialog.tsx';
import { Loaded } from '../../../components/empty-state/loaded.tsx';
import { Switch } from '../../../components/ui/switch.tsx';
import { copyPreviewQuery, copyRelationship } from '../api/relationships.ts';
import { CardinalityField } from './CardinalityField.tsx';
import { valuesText } from './cardinality-labels.ts';

export interface CopyRelationshipDialogProps {
  relationship: RelationshipView;
  onClose: () => void;
}

export function CopyRelationshipDialog({ relationship, onClose }: CopyRelationshipDialogProps) {
  const [cardinality, setCardinality] = useState<Cardinality>(relationship.cardinality);
  const [allowSelfRelationship, setAllowSelf] = useState(relationship.allowSelfRelationship);
  const rules = { cardinality, allowSelfRelationship };
  const preview = useQuery({ ...copyPreviewQuery(relationship, rules), placeholderData: keepPreviousData });
  const isWithinOneDataSet = relationship.sourceDataSetId === relationship.targetDataSetId;
  const currentPreview = preview.error === null && !preview.isPlaceholderData ? preview.data : undefined;

  return (
    <CopyDialog
      name="relationship"
      title={`Copy ${relationship.name} as…`}
      description="The copy has the same ends and attributes, and its values start as drafts. This relationship does not change."
      suggestedName={`${relationship.name} (copy)`}
      emptyNameError="Relationship name is required"
      verb="Copy"
      confirm={currentPreview === undefined ? 'Copy' : `Copy ${valuesText(currentPreview.copied)}`}
      isReady={currentPreview !== undefined}
      countText={valuesText}
      copy={async (name) => {
        const { id, copied, refused } = await copyRelationship(relationship.id, { name, ...rules });
        return { copied, notCopied: refused, page: `/relationships/${id}/values` };
      }}
      onClose={onClose}
    >
      <CardinalityField value={cardinality} onChange={setCardinality} />
      {isWithinOneDataSet && (
        <Switch label="Allow self-relations" checked={allowSelfRelationship} onCheckedChange={setAllowSelf} />
      )}
      <Loaded result={preview}>{(data) => <CopyPreview preview={data} isStale={preview.isPlaceholderData} />}</Loaded>
    </CopyDialog>
  );
}

/** Shows how many values can be copied, or which values the rules exclude. Dimmed while a new preview is loading. */
function CopyPreview({ preview, isStale }: { preview: RelationshipCopied; isStale: boolean }) {
  const { copied, refused, violations } = preview;
  return (
    <div role="status" aria-busy={isStale} className={isStale ? 'opacity-60' : undefined}>
      {refused === 0 ? (
        <p>{copied === 0 ? 'There are no values to copy.' : `${valuesText(copied)} can be copied.`}</p>
      ) : (
        <RowsNotCopied
          title={`${valuesText(refused)} cannot be copied`}
          count={refused}
          rows={violations.map((row) => ({ ...row, pair: `${row.source} → ${row.target}` }))}
        />
      )}
    </div>
  );
}
