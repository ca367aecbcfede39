/**
 * How far a command over many rows runs ahead of the read models: they follow the log in its order, so that what somebody
 * else changes meanwhile is seen, and told, after all that was appended before it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '@rdm/platform';

/** Rows on their way to the read models, of one command: enough for them never to wait for it. */
const ROWS_AHEAD = 6_000;
/** The same while others change something: about what is projected while nobody notices. */
const ROWS_AHEAD_WITH_OTHERS = 250;
/** So long after a command of few rows its author may still be at work. */
const ACTIVITY_MS = 3_000;
const POLL_MS = 5;
/** Read models that come to nothing of a command for longer are stopped, or far behind: waiting for them would help nobody. */
const STALLED_MS = 2_000;

/** The commit position that the read models have reached. */
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

/** What the commands of a process have in common. */
export class Pace {
  readonly #projected: ReadProjectedPosition;
  readonly #tell: () => void;
  #looking: Promise<bigint> | undefined;
  #othersAt = Number.NEGATIVE_INFINITY;
  /** When each person acted last, of late. */
  readonly #actedAt = new Map<number, number>();

  /** `tell` passes on that somebody acted: large commands of other processes keep pace, too. */
  constructor(projected: ReadProjectedPosition, onActivity: () => void = () => undefined) {
    this.#projected = projected;
    this.#tell = onActivity;
  }

  get rowsAhead(): number {
    return performance.now() - this.#othersAt < ACTIVITY_MS ? ROWS_AHEAD_WITH_OTHERS : ROWS_AHEAD;
  }

  /** Tells that a command of somebody is over; null is the system. */
  recordCommandEnd(run: PacedCommand, actorId: number | null): void {
    if (run.isLarge) return;
    this.recordOtherActivity();
    if (actorId === null) return;
    // The person who acted last stands last.
    this.#actedAt.delete(actorId);
    this.#actedAt.set(actorId, this.#othersAt);
    for (const [person, at] of this.#actedAt) {
      if (this.#othersAt - at < ACTIVITY_MS) break;
      this.#actedAt.delete(person);
    }
  }

  /** Whether somebody else changed something of late. */
  hasOtherActivity(actorId: number): boolean {
    const since = performance.now() - ACTIVITY_MS;
    for (const [person, at] of this.#actedAt) if (person !== actorId && at > since) return true;
    return false;
  }

  recordOtherActivity(): void {
    this.#othersAt = performance.now();
    this.#tell();
  }

  /** Where the read models stand in a moment; whoever waits at once asks together. */
  nextProjectedPosition(): Promise<bigint> {
    this.#looking ??= sleep(POLL_MS)
      .then(this.#projected)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }
}

interface Piece {
  rows: number;
  /** Known once it is appended. */
  position?: bigint | undefined;
}

/** One run of a command. */
export class PacedCommand {
  readonly #pace: Pace;
  readonly #ahead = new Set<Piece>();
  /** When the read models were last seen to have come to something of it. */
  #reachedAt = Number.NEGATIVE_INFINITY;
  #rows = 0;
  #waits = true;
  readonly #rowsAhead: number | undefined;

  /** `rowsAhead` is a limit of the run's own, whatever others do. */
  constructor(pace: Pace, rowsAhead?: number) {
    this.#pace = pace;
    this.#rowsAhead = rowsAhead;
  }

  /** Others should not have to wait for it. */
  get isLarge(): boolean {
    return this.#rows > ROWS_AHEAD_WITH_OTHERS;
  }

  /** Appends what concerns so many rows once there is room; `reached` says how far into the log the run came. */
  async appendPaced<T>(rows: number, append: () => Promise<T>, reached: () => bigint | undefined): Promise<T> {
    const piece = await this.#admitted(rows);
    try {
      return await append();
    } finally {
      piece.position = reached();
      if (piece.position === undefined) this.#ahead.delete(piece);
    }
  }

  /** Takes its place in the same turn in which there is room: others wait for it, too. */
  async #admitted(rows: number): Promise<Piece> {
    const since = performance.now();
    while (this.#waits && !this.#hasRoom(rows)) {
      const projected = await this.#pace.nextProjectedPosition().catch(() => undefined);
      if (projected !== undefined) this.#reached(projected);
      const isStalled = performance.now() > Math.max(since, this.#reachedAt) + STALLED_MS;
      if (projected === undefined || isStalled) this.#waits = false;
    }
    const piece: Piece = { rows };
    this.#ahead.add(piece);
    this.#rows += rows;
    return piece;
  }

  #reached(projected: bigint): void {
    for (const piece of this.#ahead) {
      if (!piece.position || piece.position > projected) continue;
      this.#ahead.delete(piece);
      this.#reachedAt = performance.now();
    }
  }

  #hasRoom(rows: number): boolean {
    let ahead = 0;
    for (const piece of this.#ahead) ahead += piece.rows;
    return ahead === 0 || ahead + rows <= (this.#rowsAhead ?? this.#pace.rowsAhead);
  }
}
