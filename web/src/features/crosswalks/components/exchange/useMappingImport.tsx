/** Shows a running import of mappings, and offers to undo it. */
import { useQueryClient } from '@tanstack/react-query';
import { type ImportJob, useImportJob } from '../../../../components/importing-job/index.tsx';
import { batchRowKey } from '../../../../components/review/batch-undo.tsx';
import type { Undoable } from '../../../../components/undo-bar/index.tsx';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { mappingsText } from '../mappings/review-words.ts';
import { pairsOf } from '../mappings/useMappingReview.tsx';

export function useMappingImport(crosswalkId: number, onUndoable: (action: Undoable) => void): ImportJob {
  const queries = useQueryClient();
  return useImportJob({
    countText: mappingsText,
    onUndoable,
    reload: () => reloadCrosswalk(queries, crosswalkId),
    async labelsOf(rows) {
      const mappings = rows.filter(({ kind }) => kind === 'mapping');
      const labels = await pairsOf(crosswalkId, 'draft', mappings);
      return new Map(mappings.map((row) => [batchRowKey(row), labels.get(row.id) ?? `Mapping ${row.id}`]));
    },
  });
}
