/** Collects jobs and commands from the events of a backup while a restore writes the events to the new log. */
import { parseStream, type RecordedEvent } from '@rdm/contracts';

const REQUESTED = new Set(['ImportRequested', 'BulkDecisionRequested']);
const ENDED = new Set([
  'ImportCompleted',
  'ImportFailed',
  'ImportCancelled',
  'BulkDecisionCompleted',
  'BulkDecisionFailed',
  'BulkDecisionCancelled',
]);

export class LogFindings {
  /** The candidates that have at least one event. Candidates are commands without an answer. */
  readonly commands = new Set<string>();
  /** All jobs that were requested. */
  readonly jobs = new Set<number>();
  /** The jobs that had not ended, with the category of their stream. */
  readonly openJobs = new Map<number, 'importJob' | 'bulkDecision'>();
  readonly #candidates: ReadonlySet<string>;

  constructor(candidates: ReadonlySet<string>) {
    this.#candidates = candidates;
  }

  add({ stream, type, metadata }: RecordedEvent): void {
    if (this.#candidates.has(metadata.$causationId)) this.commands.add(metadata.$causationId);
    if (!REQUESTED.has(type) && !ENDED.has(type)) return;
    const { category, id } = parseStream(stream);
    if (REQUESTED.has(type)) {
      this.jobs.add(id);
      this.openJobs.set(id, category as 'importJob' | 'bulkDecision');
    } else this.openJobs.delete(id);
  }
}
