/**
 * Undoes more drafts than one request can delete. Skips drafts that were changed later. A job deletes the others,
 * unless one request can delete them.
 */
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { reportJobEnd, useFollowedJobs } from '../../../../components/bulk-job/index.tsx';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { freezeDraftsOfCommands, reviewMappings } from '../../api/mappings.ts';
import { mappingsText } from '../mappings/review-words.ts';

export interface DraftUndoJob {
  /**
   * Deletes the drafts of these commands. Resolves when the job has started, or when the drafts are deleted without a
   * job. Rejects if all of the drafts were changed since.
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
