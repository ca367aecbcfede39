/** Reports the results of a command on many rows, or follows the job that runs the command. Then reloads the rows. */
import type { DecidedAsJob } from '@rdm/contracts/jobs/bulk-decisions';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { reportJobEnd, useFollowedJobs } from '../../../components/bulk-job/index.tsx';
import { type Outcome, OutcomesDialog } from '../../../components/row-outcomes/index.tsx';
import { rowsText } from '../../../lib/number-format.ts';
import { dataSetKey } from '../api/data-sets.ts';
import { type BulkAnswer, reloadInstances } from '../api/instances.ts';

type RowResult = BulkAnswer['results'][number];

export interface RowResults {
  /**
   * Reloads the rows and returns the results of the changed rows. If the server refused rows, a dialog lists them with
   * the reasons.
   */
  reportResults: (results: readonly RowResult[], labelOf: (row: RowResult) => ReactNode) => Promise<RowResult[]>;
  /** Displays the job until it ends. `doing` and `done` are forms of the verb, such as "Deleting" and "Deleted". */
  follow: (job: DecidedAsJob, doing: string, done: string, onEnd?: (job: JobView) => void) => void;
  dialogs: ReactNode;
}

export function useRowResults(dataSetId: number): RowResults {
  const queries = useQueryClient();
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>();
  const jobs = useFollowedJobs();
  const reload = () =>
    Promise.all([reloadInstances(queries, dataSetId), queries.invalidateQueries({ queryKey: dataSetKey(dataSetId) })]);
  return {
    reportResults: async (results, labelOf) => {
      const doneResults = results.filter(({ outcome }) => outcome === 'done');
      if (doneResults.length < results.length) {
        setOutcomes(
          results.map((row) => ({ id: row.id, label: labelOf(row), outcome: row.outcome, message: row.message })),
        );
      }
      await reload();
      return doneResults;
    },
    follow: (job, doing, done, onEnd) =>
      jobs.follow({
        job,
        action: doing,
        target: rowsText(job.total),
        onEnd: (ended) => {
          reportJobEnd(ended, done);
          void reload();
          onEnd?.(ended);
        },
      }),
    dialogs: (
      <>
        {jobs.bars}
        {outcomes !== undefined && (
          <OutcomesDialog
            title="Not all rows were changed"
            outcomes={outcomes}
            onClose={() => setOutcomes(undefined)}
          />
        )}
      </>
    ),
  };
}
