/** Locks a data set for an all-or-nothing import: other changes of its rows are refused until the import ends. */
import { type DataSet, type DataSetEvent, Refusal } from '@rdm/contracts';
import { type Decision, decided, nothing } from '../runtime/decision.ts';

/** Locks the data set for a job. */
export function startExclusiveImport(dataSet: DataSet | undefined, jobId: number): Decision<DataSetEvent> {
  const current = requireDataSet(dataSet);
  if (current.exclusiveJobId === jobId) return nothing();
  requireNoExclusiveImport(current);
  return decided({ type: 'ExclusiveImportStarted', data: { jobId } });
}

export function endExclusiveImport(dataSet: DataSet | undefined, jobId: number): Decision<DataSetEvent> {
  return dataSet?.exclusiveJobId === jobId ? decided({ type: 'ExclusiveImportEnded', data: { jobId } }) : nothing();
}

export function requireDataSet(dataSet: DataSet | undefined): DataSet {
  if (!dataSet || dataSet.deleted) throw new Refusal('NOT_FOUND', 'This data set does not exist');
  return dataSet;
}

/** Throws if a job other than `jobId`, the job of the caller, has locked the data set. */
export function requireNoExclusiveImport(dataSet: DataSet, jobId?: number): void {
  if (dataSet.exclusiveJobId === null || dataSet.exclusiveJobId === jobId) return;
  throw new Refusal(
    'EXCLUSIVE_IMPORT',
    'An all-or-nothing import has locked this data set: try again when the import has ended',
    { jobId: dataSet.exclusiveJobId },
  );
}
