/**
 * Runs imports, their previews and the work on drafts in child processes, so that requests stay fast and memory is
 * bounded.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type ReferenceType, Refusal, type RefusalCode } from '@rdm/contracts';
import { type ApiRequest, type Log, type Pool, programUrl, type Settings } from '@rdm/platform';
import { recordOutOfMemory } from '../bulk/memory-failures.ts';
import { repeat } from '../runtime/repeat.ts';

/**
 * Heap limit in MiB. A process that exceeds it ends, and the next one resumes its jobs. `rows` writes the rows of a
 * file to the database while it reads them; `reviewed` holds all rows of a file in memory.
 */
const HEAP_MB: Record<FileWork, number> = { rows: 160, reviewed: 1_024, drafts: 128 };
/** Size of a semi-space of the young generation. Most objects are garbage early, so a larger size saves no time. */
const SEMI_SPACE_MB = 8;
/** Without garbage collection threads, an import of a million rows into a data set uses a tenth less processor time. */
const GC_FLAGS: Partial<Record<FileWork, string[]>> = { rows: ['--single-threaded-gc'] };
const PAUSE_MS_MAX = 30_000;
/**
 * A process that ends within this time counts as a failed start. A process that began with `isExclusive` runs jobs
 * concurrently after this time.
 */
const STEADY_MS = 60_000;

export interface RowsToValidate {
  type: ReferenceType;
  keyFieldIds: readonly number[];
  content: Buffer;
}

/**
 * The work of a process. `rows` are imports into data sets; `reviewed` are imports of reviewed rows, the previews of
 * these imports, and validations of rows; `drafts` are drafts of imports.
 */
export type FileWork = 'rows' | 'reviewed' | 'drafts';

export type FileProcessSettings = Pick<
  Settings,
  'DATABASE_URL' | 'DATABASE_EMBEDDED' | 'EVENTSTORE_URL' | 'LOG_LEVEL'
> & {
  work: FileWork;
  /** The prefix of the names of the leases that this process holds. */
  name: string;
  /** Whether the process first runs one job at a time, because the previous process ran out of memory. */
  isExclusive: boolean;
};

/** A preview for a user, or the validation of rows for a caller who is already authorised. */
export type PreviewRequest =
  | (Pick<ApiRequest, 'principal' | 'needs'> & { of: 'mappings' | 'values'; input: { id: number; body: unknown } })
  | ({ of: 'rows' } & RowsToValidate);

export type ToProcess =
  | 'wake'
  | 'stop'
  | 'other work happened'
  | 'run jobs concurrently'
  | { preview: PreviewRequest; id: number };
export interface FromProcess {
  id: number;
  answer?: unknown;
  refusal?: { code: RefusalCode; message: string; details?: unknown; retryAfter?: number | undefined };
  error?: string;
}

export interface FileProcess {
  /** Checks for jobs now. */
  wake(): void;
  /** Reports a change by a user, so that large imports slow down. */
  recordOtherActivity(): void;
  preview<Answer>(request: PreviewRequest): Promise<Answer>;
  stop(): Promise<void>;
}

const unfinishedJobs = (jobs: string) =>
  `SELECT FROM jobs.progress p JOIN ${jobs} j ON j.job_id = p.job_id WHERE p.status IN ('PENDING', 'IN_PROGRESS') LIMIT 1`;

/** SQL that finds unfinished work of each kind. A bulk job with a file is an import of reviewed rows. */
const UNFINISHED: Record<FileWork, string> = {
  rows: unfinishedJobs('command.imports'),
  reviewed: unfinishedJobs('(SELECT job_id FROM command.bulk_decisions WHERE file_id IS NOT NULL)'),
  drafts: `SELECT FROM command.import_drafts
    WHERE state = 'READING' OR check_status IN ('PENDING', 'IN_PROGRESS') LIMIT 1`,
};
const POLL_MS = 500;

/** Starts a process when there is work, and starts another one whenever the process ends before `stop()`. */
export function startFileProcess(work: FileWork, settings: Settings, pool: Pool, log: Log): FileProcess {
  const { DATABASE_URL, DATABASE_EMBEDDED, EVENTSTORE_URL, LOG_LEVEL } = settings;
  const stopping = new AbortController();
  let requireProcess = () => {};
  const processRequired = new Promise<void>((resolve) => {
    requireProcess = resolve;
  });
  const pendingPreviews = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  let current: ChildProcess | undefined;
  let lastId = 0;
  const send = (message: ToProcess) => {
    // If the process ended, the next process checks for work itself.
    if (current?.connected) current.send(message, () => undefined);
  };
  const resolvePreview = ({ id, answer, refusal, error }: FromProcess) => {
    const pending = pendingPreviews.get(id);
    pendingPreviews.delete(id);
    if (refusal) pending?.reject(new Refusal(refusal.code, refusal.message, refusal.details, refusal.retryAfter));
    else if (error !== undefined) pending?.reject(new Error(error));
    else pending?.resolve(answer);
  };

  const keepRunning = async () => {
    let isExclusive = false;
    await processRequired;
    for (let failures = 0; !stopping.signal.aborted; failures++) {
      const name = randomUUID();
      const processSettings: FileProcessSettings = {
        DATABASE_URL,
        DATABASE_EMBEDDED,
        EVENTSTORE_URL,
        LOG_LEVEL,
        work,
        name,
        isExclusive,
      };
      const child = fork(programUrl('command-api/dist/file-process.main.js'), {
        execArgv: [
          `--max-old-space-size=${HEAP_MB[work]}`,
          `--max-semi-space-size=${SEMI_SPACE_MB}`,
          ...(GC_FLAGS[work] ?? []),
        ],
        env: { ...process.env, FILE_PROCESS: JSON.stringify(processSettings) },
        stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
        serialization: 'advanced',
      });
      current = child;
      let stderrTail = '';
      child.stderr?.on('data', (text: Buffer) => {
        process.stderr.write(text);
        stderrTail = (stderrTail + text).slice(-STDERR_TAIL);
      });
      child.on('message', (message) => resolvePreview(message as FromProcess));
      const began = Date.now();
      const concurrencyTimer = setTimeout(() => send('run jobs concurrently'), STEADY_MS);
      const { code, signal } = await exitOf(child);
      clearTimeout(concurrencyTimer);
      current = undefined;
      isExclusive = OUT_OF_HEAP.test(stderrTail);
      if (isExclusive)
        await recordOutOfMemory(pool, name).catch((error) => log.error({ err: error, name }, NOT_RECORDED));
      for (const pending of pendingPreviews.values())
        pending.reject(isExclusive ? tooLargeRefusal() : processEndedRefusal());
      pendingPreviews.clear();
      if (Date.now() - began > STEADY_MS) failures = 0;
      if (stopping.signal.aborted) return;
      log.warn({ code, signal, work, outOfMemory: isExclusive }, 'A process for files ended; starting another one');
      await pause(Math.min(100 * 2 ** failures, PAUSE_MS_MAX), undefined, { signal: stopping.signal }).catch(
        () => undefined,
      );
    }
  };
  const running = keepRunning();
  // An earlier run or another instance may have left unfinished jobs.
  const checkForJobs = async () => {
    const { rowCount } = await pool.query(UNFINISHED[work]);
    if (rowCount !== 0) requireProcess();
  };
  const polling = repeat('check for files to process', POLL_MS, log, checkForJobs);
  // Once the child process runs, it polls for jobs itself.
  const pollingStopped = processRequired.then(() => polling.stop());

  return {
    wake() {
      requireProcess();
      send('wake');
    },
    recordOtherActivity: () => send('other work happened'),
    async preview<Answer>(request: PreviewRequest) {
      const id = ++lastId;
      requireProcess();
      await processRequired;
      return new Promise<Answer>((resolve, reject) => {
        if (!current?.connected) return reject(processEndedRefusal());
        pendingPreviews.set(id, { resolve: resolve as (answer: unknown) => void, reject });
        send({ preview: request, id });
      });
    },
    async stop() {
      stopping.abort();
      requireProcess();
      send('stop');
      await Promise.all([pollingStopped, running]);
    },
  };
}

/** V8 prints this before it aborts; a killed process prints nothing. */
const OUT_OF_HEAP = /heap out of memory|Reached heap limit/i;
const STDERR_TAIL = 8_192;
const NOT_RECORDED = 'Could not record that jobs ran out of memory';

const tooLargeRefusal = () =>
  new Refusal('TOO_LARGE', 'There was not enough memory for this file: split it, or save it as CSV');
const processEndedRefusal = () =>
  new Refusal('UNAVAILABLE', 'The file could not be read at the moment. Please try again.', undefined, 1);

const exitOf = (child: ChildProcess) =>
  new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: null, signal: null }));
  });
