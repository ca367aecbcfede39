/** Limits the concurrent uploads and the stored bytes of each user, and the rate of uploads while other users work. */
import { Refusal } from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import { bytesNotImported } from '../../file-imports/staged-files.ts';
import { Mutex } from '../../runtime/mutex.ts';

const CONCURRENT_UPLOADS_MAX = 3;
const STAGED_BYTES_MAX = 2 * 1024 ** 3;
/** The seconds after which a client may retry a refused upload. */
const RETRY_AFTER = 10;

/** Counts the uploads and the validation tests of each user in this process. */
export class UploadSlots {
  readonly #running = new Map<number, number>();

  /** Runs an upload or a validation test; throws if the user already has `CONCURRENT_UPLOADS_MAX` running. */
  async run<T>(ownerId: number, upload: () => Promise<T>): Promise<T> {
    const running = this.#running.get(ownerId) ?? 0;
    if (running >= CONCURRENT_UPLOADS_MAX) {
      throw new Refusal(
        'TOO_MANY_REQUESTS',
        `You are uploading ${CONCURRENT_UPLOADS_MAX} files already. Wait until one of them has arrived, or cancel one, then upload this file again.`,
        undefined,
        RETRY_AFTER,
      );
    }
    this.#running.set(ownerId, running + 1);
    try {
      return await upload();
    } finally {
      const remaining = (this.#running.get(ownerId) ?? 1) - 1;
      if (remaining > 0) this.#running.set(ownerId, remaining);
      else this.#running.delete(ownerId);
    }
  }
}

/**
 * The intervals between pieces of 256 KiB. They limit all uploads together to 2 MiB per second while other users make
 * changes, and to 40 MiB per second otherwise: a faster upload would delay the reads of other users.
 */
const PIECE_EVERY_MS = { busy: 125, quiet: 6 };

/** Serialises the pieces of all uploads, and limits their rate. */
export class UploadPace {
  readonly #mutex = new Mutex();
  readonly #hasOtherActivity: (uploaderId: number) => boolean;

  constructor(hasOtherActivity: (uploaderId: number) => boolean) {
    this.#hasOtherActivity = hasOtherActivity;
  }

  /** Waits until the next piece of this user may be stored. */
  async waitForTurn(uploaderId: number): Promise<void> {
    const release = await this.#mutex.acquire();
    setTimeout(release, this.#hasOtherActivity(uploaderId) ? PIECE_EVERY_MS.busy : PIECE_EVERY_MS.quiet);
  }
}

/**
 * Throws if an upload of `bytes` would exceed the space for a user's files that are not imported yet. `replaces` is the
 * id of a file that this upload replaces.
 */
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
    `Your files that are not imported yet take ${mebibytes(staged)} of ${mebibytes(STAGED_BYTES_MAX)} MiB. Import them first. A file is deleted after a day, the file of a draft a week after the last change of the draft.`,
  );
}

const mebibytes = (bytes: number): string => Math.ceil(bytes / 1024 / 1024).toLocaleString('en');
