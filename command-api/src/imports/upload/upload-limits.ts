/** Bounds what one person uploads: files at once, and bytes of files that are not imported yet. */
import { Refusal } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { bytesNotImported } from '../../file-imports/staged-files.ts';
import { Mutex } from '../../runtime/mutex.ts';

const UPLOADS_AT_ONCE = 3;
const STAGED_BYTES_MAX = 2 * 1024 ** 3;
/** Seconds after which a refused upload may be tried again. */
const RETRY_AFTER = 10;

/** Counts the uploads of each person in this process. */
export class UploadSlots {
  readonly #taken = new Map<number, number>();

  /** Runs an upload; refuses it while as many others of the same person run. */
  async run<T>(ownerId: number, upload: () => Promise<T>): Promise<T> {
    const taken = this.#taken.get(ownerId) ?? 0;
    if (taken >= UPLOADS_AT_ONCE) {
      throw new Refusal(
        'TOO_MANY_REQUESTS',
        `You are uploading ${UPLOADS_AT_ONCE} files already. Wait until one of them has arrived, or cancel one, then upload this file again.`,
        undefined,
        RETRY_AFTER,
      );
    }
    this.#taken.set(ownerId, taken + 1);
    try {
      return await upload();
    } finally {
      const left = (this.#taken.get(ownerId) ?? 1) - 1;
      if (left > 0) this.#taken.set(ownerId, left);
      else this.#taken.delete(ownerId);
    }
  }
}

/** Milliseconds between two pieces of files while others change something: 5 MiB a second. */
const PIECE_EVERY_MS = 50;

/** Lets the pieces of all files in one after the other: at a pace, while others than the uploader change something. */
export class UploadPace {
  readonly #turns = new Mutex();
  readonly #isAmidOthers: (uploaderId: number) => boolean;

  constructor(isAmidOthers: (uploaderId: number) => boolean) {
    this.#isAmidOthers = isAmidOthers;
  }

  async nextPiece(uploaderId: number): Promise<void> {
    const end = await this.#turns.acquire();
    if (this.#isAmidOthers(uploaderId)) setTimeout(end, PIECE_EVERY_MS);
    else end();
  }
}

/** Refuses a file of `bytes`, as far as the request says, where it and those not imported yet are too much; `replaces` names one that goes. */
export async function requireStagingSpace(
  pool: Pool,
  ownerId: number,
  bytes: number,
  replaces: string | undefined,
): Promise<void> {
  const staged = await bytesNotImported(pool, ownerId, replaces);
  if (staged < STAGED_BYTES_MAX && staged + bytes <= STAGED_BYTES_MAX) return;
  throw new Refusal(
    'TOO_LARGE',
    `Your files that are not imported yet take ${mebibytes(staged)} of ${mebibytes(STAGED_BYTES_MAX)} MiB. Import them first; those that nobody imports are removed after a day.`,
  );
}

const mebibytes = (bytes: number): string => Math.ceil(bytes / 1024 / 1024).toLocaleString('en');
