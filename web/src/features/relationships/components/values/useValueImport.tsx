/** Shows a running import of relationship values, and offers its undo when it has ended. */
import { useQueryClient } from '@tanstack/react-query';
import { type ImportJob, useImportJob } from '../../../../components/importing-job/index.tsx';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { reloadRelationship } from '../../api/relationships.ts';
import { valuesText } from '../cardinality-labels.ts';
import { loadPairTexts } from './useValueReview.tsx';

export function useValueImport(relationshipId: number, onUndoable: (action: Undoable) => void): ImportJob {
  const queries = useQueryClient();
  return useImportJob({
    kind: 'relationship-value',
    countText: valuesText,
    labelsOf: (rows) =>
      loadPairTexts(
        'draft',
        rows.map(({ id }) => ({ id, relationshipId })),
      ),
    fallbackLabelOf: (id) => `Value ${id}`,
    reload: () => reloadRelationship(queries, relationshipId),
    onUndoable,
  });
}
