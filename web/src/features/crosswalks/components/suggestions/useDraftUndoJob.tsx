/** Undoes drafts of many mappings, by a job if one request cannot delete all of them. */
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { reportJobEnd, useFollowedJobs } from '../../../../components/bulk-job/index.tsx';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { freezeDraftsOfCommands, reviewMappings } from '../../api/mappings.ts';
import { mappingsText } from '../mappings/review-words.ts';

export interface DraftUndoJob {
  /**
   * Deletes the unchanged drafts of these commands. Resolves when the drafts are deleted or a job has started. Rejects
   * if all drafts were changed.
   */
  undoAsJob: (crosswalkId: number, commandIds: readonly string[]) => Promise<void>;
  bars: ReactNode;
}

export function useDraftUndoJob(): DraftUndoJob {
  const queries = useQueryClient();
  const { follow, bars } = useFollowedJobs();
  return {
    async undoAsJob(crosswalkId, commandIds) {
      const { selectionId, count } = await freezeDraftsOfCommands(crosswalkId, commandIds);
      if (count === 0) throw new Error('All of these mappings were changed since: nothing is left to undo.');
      const response = await reviewMappings(crosswalkId, 'delete', { selectionId });
      if (!('jobId' in response)) {
        await reloadCrosswalk(queries, crosswalkId);
        return;
      }
      follow({
        job: response,
        action: 'Undoing',
        target: mappingsText(response.total),
        onEnd: (ended) => {
          reportJobEnd(ended, 'Undone');
          void reloadCrosswalk(queries, crosswalkId);
        },
      });
    },
    bars,
  };
}
