/**
 * Deletes the data set, type and collection that an import created, after the undo of the import has removed its rows.
 */
import type { CreatedByImport } from '@rdm/contracts/imports/import-undo';
import type { JobView } from '@rdm/contracts/jobs/jobs';
import { read, write } from '../../lib/api/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { notify } from '../toast/index.ts';

const REFRESH_MS = 500;

/**
 * Waits for the end of the undo, and then deletes the created entities. Deletes nothing if the undo failed or skipped a
 * row, or if the data set still has rows. Returns the number of undone rows; undefined if an entity was not deleted.
 */
export async function deleteCreated(undoJobId: number, created: CreatedByImport): Promise<number | undefined> {
  const { dataSet, type, collection } = created;
  try {
    const { status, counts } = await waitForEnd(undoJobId);
    if (status !== 'DONE' || counts.skipped > 0) {
      notify.error('Some rows were not undone: the undo job in the monitor shows why.', {
        title: `${dataSet.name} was not deleted`,
      });
      return undefined;
    }
    const current = await read<{ instanceCount: number }>(`/api/reference-data/${dataSet.id}`);
    if (current.instanceCount > 0) {
      notify.error('The data set contains rows that this import did not add.', {
        title: `${dataSet.name} was not deleted`,
      });
      return undefined;
    }
    // The data set is first, because a type with a data set cannot be deleted. The revision prevents deleting an entity
    // that other users changed.
    for (const [path, entity] of [
      ['reference-data', dataSet],
      ['reference-types', type],
      ['collections', collection],
    ] as const) {
      if (entity === null) continue;
      await write('DELETE', `/api/${path}/${entity.id}`, undefined, { revision: entity.revision });
    }
    return counts.changed;
  } catch (error) {
    notify.error(messageOf(error), { title: 'Not everything that the import created was deleted' });
    return undefined;
  }
}

async function waitForEnd(jobId: number): Promise<JobView> {
  for (;;) {
    const job = await read<JobView>(`/api/jobs/${jobId}`).catch((error: { status?: number }) => {
      // The read models do not contain the job yet.
      if (error.status === 404) return undefined;
      throw error;
    });
    if (job !== undefined && job.endTime !== null) return job;
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  }
}
