/** Undoes more drafts than one request can: a job deletes those that were not changed since. */
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { tellEnd, useFollowedJobs } from '../../../../components/deciding-job/index.tsx';
import { reloadCrosswalk } from '../../api/crosswalks.ts';
import { freezeDraftedBy, reviewMappings } from '../../api/mappings.ts';
import { mappingsText } from '../mappings/review-words.ts';

export interface TakenBack {
  /** The drafts of these commands; resolves once their job has started, or once few drafts are deleted without a job. */
  asJob: (crosswalkId: number, commandIds: readonly string[]) => Promise<void>;
  bars: ReactNode;
}

export function useTakenBack(): TakenBack {
  const queries = useQueryClient();
  const { follow, bars } = useFollowedJobs();
  return {
    async asJob(crosswalkId, commandIds) {
      const { selectionId, count } = await freezeDraftedBy(crosswalkId, commandIds);
      if (count === 0) throw new Error('All of these mappings were changed since: nothing is left to undo.');
      const said = await reviewMappings(crosswalkId, 'delete', { selectionId });
      if (!('jobId' in said)) {
        await reloadCrosswalk(queries, crosswalkId);
        return;
      }
      follow({
        job: said,
        doing: 'Undoing',
        what: mappingsText(said.total),
        onEnd: (ended) => {
          tellEnd(ended, 'Undone');
          void reloadCrosswalk(queries, crosswalkId);
        },
      });
    },
    bars,
  };
}
