/** Shows a running import of relationship values, and offers to undo it. */
import { useQueryClient } from '@tanstack/react-query';
import { type ImportJob, useImportJob } from '../../../components/importing-job/index.tsx';
import { batchRowKey } from '../../../components/review/batch-undo.tsx';
import type { Undoable } from '../../../components/undo-bar/index.tsx';
import { reloadRelationship } from '../api/relationships.ts';
import { valuesText } from './cardinality-labels.ts';
import { labelsOf } from './useValueReview.tsx';

export function useValueImport(relationshipId: number, onUndoable: (action: Undoable) => void): ImportJob {
  const queries = useQueryClient();
  return useImportJob({
    countText: valuesText,
    onUndoable,
    reload: () => reloadRelationship(queries, relationshipId),
    async labelsOf(rows) {
      const values = rows.filter(({ kind }) => kind === 'relationship-value');
      const labels = await labelsOf(
        'draft',
        values.map(({ id }) => ({ id, relationshipId })),
      );
      return new Map(values.map((row) => [batchRowKey(row), labels.get(row.id) ?? `Value ${row.id}`]));
    },
  });
}
