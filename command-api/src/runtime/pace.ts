/**
 * Limits how far a command over many rows runs ahead of the read models. They apply the log in order, so a change by
 * another user becomes visible only after all rows appended before it (docs/decisions/0038).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '@rdm/platform';

/** The number of rows of one command that may wait for projection. It is enough to keep the projector busy. */
const ROWS_AHEAD = 6_000;
/** The limit while users are active: about as many rows as are projected without a noticeable delay. */
const ROWS_AHEAD_WITH_OTHERS = 250;
/** Users count as active for this long after a small command. */
const ACTIVITY_MS = 3_000;
const POLL_MS = 5;
/** A run in which no piece is projected for this long waits no more: the read models are stopped or far behind. */
const STALLED_MS = 2_000;

/** Reads the commit position that the read models have reached. */
export type ReadProjectedPosition = () => Promise<bigint>;

export const projectedPositionReader =
  (db: Queryable): ReadProjectedPosition =>
  async () => {
    const { rows } = await db.query<{ position: string }>({
      name: 'projected position',
      text: 'SELECT commit_position AS position FROM platform.reader',
    });
    return BigInt(rows[0]?.position ?? 0);
  };

/** The activity and the projected position, which all commands of a process share. */
export class Pace {
  readonly #readPosition: ReadProjectedPosition;
  readonly #onActivity: () => void;
  readonly #pollMs: number;
  #reading: Promise<bigint> | undefined;
  #lastActivityAt = Number.NEGATIVE_INFINITY;
  /** The time of each user's last small command, the oldest first. */
  readonly #activityByUser = new Map<number, number>();

  /**
   * `onActivity` forwards activity to other processes, so that their large commands slow down too. `pollMs` is the
   * pause before each read of the projected position.
   */
  constructor(projected: ReadProjectedPosition, onActivity: () => void = () => undefined, pollMs = POLL_MS) {
    this.#readPosition = projected;
    this.#onActivity = onActivity;
    this.#pollMs = pollMs;
  }

  get rowsAhead(): number {
    return performance.now() - this.#lastActivityAt < ACTIVITY_MS ? ROWS_AHEAD_WITH_OTHERS : ROWS_AHEAD;
  }

  /** Records activity at the end of a command that is not large; `actorId` is null for the system. */
  recordCommandEnd(run: PacedCommand, actorId: number | null): void {
    if (run.isLarge) return;
    this.recordActivity();
    if (actorId === null) return;
    // Delete the entry first: the map then has the new entry at its end and stays ordered by time.
    this.#activityByUser.delete(actorId);
    this.#activityByUser.set(actorId, this.#lastActivityAt);
    for (const [userId, at] of this.#activityByUser) {
      if (this.#lastActivityAt - at < ACTIVITY_MS) break;
      this.#activityByUser.delete(userId);
    }
  }

  /** Whether another user recently ended a small command in this process. */
  hasOtherActivity(actorId: number): boolean {
    const since = performance.now() - ACTIVITY_MS;
    for (const [userId, at] of this.#activityByUser) if (userId !== actorId && at > since) return true;
    return false;
  }

  /** Slows large commands down for a while, because a small command ended in this or another process. */
  recordActivity(): void {
    this.#lastActivityAt = performance.now();
    this.#onActivity();
  }

  /** The projected position after a short pause; concurrent callers share one query. */
  nextProjectedPosition(): Promise<bigint> {
    this.#reading ??= sleep(this.#pollMs)
      .then(this.#readPosition)
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }
}

interface Piece {
  rows: number;
  /** Set once the piece is appended. */
  position?: bigint | undefined;
}

/** The pace of one command run. */
export class PacedCommand {
  readonly #pace: Pace;
  readonly #ahead = new Set<Piece>();
  /** When the read models last made progress on this run. */
  #progressAt = Number.NEGATIVE_INFINITY;
  #rows = 0;
  /** False once the read models make no progress, or their position cannot be read. */
  #waits = true;
  readonly #rowsAhead: number | undefined;

  /** `rowsAhead` replaces the shared limit for this run. */
  constructor(pace: Pace, rowsAhead?: number) {
    this.#pace = pace;
    this.#rowsAhead = rowsAhead;
  }

  /** Whether this run has so many rows that changes of other users become visible later. */
  get isLarge(): boolean {
    return this.#rows > ROWS_AHEAD_WITH_OTHERS;
  }

  /**
   * Waits until a piece of this many rows fits the limit, or until no other piece is ahead, and then appends it. Does
   * not wait if the run has stopped waiting. `lastPosition` returns the position of the run's last append.
   */
  async appendPaced<T>(rows: number, append: () => Promise<T>, lastPosition: () => bigint | undefined): Promise<T> {
    const piece = await this.#waitForCapacity(rows);
    try {
      return await append();
    } finally {
      piece.position = lastPosition();
      if (piece.position === undefined) this.#ahead.delete(piece);
    }
  }

  /** Waits for capacity and reserves it before another piece can, so that concurrent pieces count each other's rows. */
  async #waitForCapacity(rows: number): Promise<Piece> {
    const since = performance.now();
    while (this.#waits && !this.#hasCapacity(rows)) {
      const projected = await this.#pace.nextProjectedPosition().catch(() => undefined);
      if (projected !== undefined) this.#removeProjected(projected);
      const isStalled = performance.now() > Math.max(since, this.#progressAt) + STALLED_MS;
      if (projected === undefined || isStalled) this.#waits = false;
    }
    const piece: Piece = { rows };
    this.#ahead.add(piece);
    this.#rows += rows;
    return piece;
  }

  #removeProjected(projected: bigint): void {
    for (const piece of this.#ahead) {
      if (!piece.position || piece.position > projected) continue;
      this.#ahead.delete(piece);
      this.#progressAt = performance.now();
    }
  }

  #hasCapacity(rows: number): boolean {
    let ahead = 0;
    for (const piece of this.#ahead) ahead += piece.rows;
    return ahead === 0 || ahead + rows <= (this.#rowsAhead ?? this.#pace.rowsAhead);
  }
}
