/** Writes spreadsheets in a worker thread, one at a time. Limits on their size bound the memory of the thread. */
import { Worker } from 'node:worker_threads';
import { Refusal } from '@rdm/contracts';
import { programUrl } from '@rdm/platform';
import type { WorkbookColumn, WorkbookData, WorkbookMessage } from './workbook-messages.ts';

/**
 * Writing this many cells takes 170 MB of memory (measured), including the heap of the thread. The thread ends with an
 * error if its heap exceeds `LIMITS`.
 */
const CELLS_MAX = 200_000;
const LIMITS = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 };
const CHARACTERS_MAX = 8_000_000;
/** Limits of XLSX: rows of a sheet including the header, and characters of a cell. */
const ROWS_MAX = 1_048_576;
export const CELL_CHARACTERS_MAX = 32_767;
/** Maximum number of spreadsheets that wait for the current one; further requests get 429. */
const WAITING_MAX = 4;

interface WorkbookSize {
  rows: number;
  columns: number;
  characters: number;
  /** The number of characters of the longest cell. */
  longest: number;
}

const rowsMax = (columns: number): number => Math.min(Math.floor(CELLS_MAX / Math.max(columns, 1)), ROWS_MAX - 1);

export const fitsWorkbook = ({ rows, columns, characters, longest }: WorkbookSize): boolean =>
  rows <= rowsMax(columns) && characters <= CHARACTERS_MAX && longest <= CELL_CHARACTERS_MAX;

const number = new Intl.NumberFormat('en');

const tooLarge = (reason: string): Refusal =>
  new Refusal('TOO_LARGE', `${reason}: export CSV instead, or narrow the filter or the columns`);

/** Collects rows and returns the spreadsheet. Callers must always call `close`, which ends the thread. */
export class Workbook {
  readonly #columns: readonly WorkbookColumn[];
  readonly #thread: Worker;
  readonly #written: Promise<Uint8Array>;
  #rows = 0;
  #characters = 0;

  constructor(title: string, columns: readonly WorkbookColumn[]) {
    this.#columns = columns;
    const workerData: WorkbookData = { title, columns };
    this.#thread = new Worker(programUrl('query-api/dist/http/workbook.main.js'), {
      workerData,
      resourceLimits: LIMITS,
    });
    this.#written = new Promise((resolve, reject) => {
      this.#thread.once('message', resolve);
      this.#thread.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooLarge('This is too much for one XLSX file') : error),
      );
      this.#thread.once('exit', () => reject(new Error('The thread of a spreadsheet ended before it was written')));
    });
    // The promise may reject before `end` is called: this must not count as unhandled.
    this.#written.catch(() => undefined);
  }

  /** Sends rows to the thread; throws if the file would exceed a limit. */
  add(rows: readonly (readonly unknown[])[]): void {
    this.#rows += rows.length;
    const columns = this.#columns.length;
    const most = rowsMax(columns);
    if (this.#rows > most) {
      throw tooLarge(
        `An XLSX export of ${columns} ${columns === 1 ? 'column' : 'columns'} has at most ${number.format(most)} rows`,
      );
    }
    for (const row of rows) for (const cell of row) this.#count(cell);
    this.#post({ rows });
  }

  #count(cell: unknown): void {
    if (typeof cell !== 'string') return;
    this.#characters += cell.length;
    if (cell.length > CELL_CHARACTERS_MAX) {
      throw tooLarge(`A cell of an XLSX export has at most ${number.format(CELL_CHARACTERS_MAX)} characters`);
    }
    if (this.#characters > CHARACTERS_MAX) {
      throw tooLarge(`An XLSX export has at most ${number.format(CHARACTERS_MAX)} characters`);
    }
  }

  end(): Promise<Uint8Array> {
    this.#post({ end: true });
    return this.#written;
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  #post(message: WorkbookMessage): void {
    this.#thread.postMessage(message);
  }
}

let lastWrite: Promise<unknown> = Promise.resolve();
/** The number of spreadsheets that wait or are being written. */
let unfinishedCount = 0;

/**
 * Runs `write` after all earlier calls, because memory suffices for one spreadsheet at a time. Throws TOO_MANY_REQUESTS
 * if too many calls wait.
 */
export async function runInTurn<Result>(write: () => Promise<Result>): Promise<Result> {
  if (unfinishedCount > WAITING_MAX) {
    throw new Refusal('TOO_MANY_REQUESTS', 'Other spreadsheets are being written: try again in a moment', undefined, 5);
  }
  unfinishedCount += 1;
  const turn = lastWrite.then(write);
  lastWrite = turn.catch(() => undefined);
  try {
    return await turn;
  } finally {
    unfinishedCount -= 1;
  }
}
