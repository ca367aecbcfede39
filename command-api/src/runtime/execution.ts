/** One run of a command: allocates ids, changes streams and tracks the position of its last append. */
import {
  ACCESS_STREAM,
  type Actor,
  BULK_ANSWER_ROWS,
  type DomainEvent,
  type ImportCounts,
  type Level,
  type ProductEvent,
  type RecordedEvent,
  Refusal,
  type RowOutcome,
  type SourceType,
} from '@rdm/contracts';
import { type Access, apiKeyById, declaredLevel, newSalt, type Pool, type RouteAccess } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import type { DecidedStep } from './append-stamp.ts';
import type { Decision } from './decision.ts';
import type { StreamKind } from './fold.ts';
import type { JobPieces } from './job-pieces.ts';
import type { LoadedStream } from './loaded-stream.ts';
import { type Pace, PacedCommand } from './pace.ts';
import type { RowLookup } from './row-cache.ts';
import type { Streams } from './streams.ts';

/** The sequences from which commands allocate ids. */
export type IdSequence =
  | 'reference_type_ids'
  | 'data_set_ids'
  | 'instance_ids'
  | 'relationship_ids'
  | 'relationship_value_ids'
  | 'crosswalk_ids'
  | 'mapping_ids'
  | 'missing_mapping_ids'
  | 'job_ids'
  | 'collection_ids'
  | 'group_ids'
  | 'role_ids'
  | 'user_ids'
  | 'api_key_ids'
  | 'saved_filter_ids'
  | 'filter_configuration_ids'
  | 'legal_hold_ids';

export interface CommandMeta {
  commandId: string;
  /** The acting user or, for an API key, the user to whom the secret of the request was issued; null for the system. */
  actorId: number | null;
  apiKeyId?: number;
  /** The access that the command's route requires. It is stored, so that recovery checks the same access. */
  needs?: RouteAccess;
  requestId: string;
  correlationId: string;
  sourceType: SourceType;
  /**
   * The salt of the command's events. It is stored, so that every run writes the same salt. Commands of earlier
   * versions have none.
   */
  salt?: string;
}

/** Data that a run stores with its command, for later runs of the command. */
export interface Memory {
  allocated: number[][];
  /** `stream#n` → the revision that append n (from 0) of this command to that stream expected. */
  steps: Record<string, number>;
  /** Decisions of steps on long streams. */
  decided?: Record<string, DecidedStep>;
}

export interface CommandLog {
  /**
   * Stores ids and returns the ids to use; undefined if the command is not stored. If two runs of a command overlap,
   * both use the ids of the run that stored first.
   */
  rememberIds(commandId: string, ids: number[][]): Promise<number[][] | undefined>;
  rememberStep(commandId: string, step: string, expected: number, decided?: DecidedStep): Promise<void>;
}

/** The checks of one request share a read of the access state for at most this time. */
const ACCESS_SHARED_MS = 1_000;

export class Execution {
  readonly meta: CommandMeta;
  /** The access state for checks. The checks of a request share a read that began after the request arrived. */
  readonly access: Pick<Access, 'current'>;
  readonly pool: Pool;
  /** The maximum number of selected rows that one request decides; larger selections become a job. */
  readonly bulkAnswerRows: number;
  /** The highest position at which this run has appended; undefined before its first append. */
  position: bigint | undefined;
  readonly #streams: Streams;
  readonly #log: CommandLog;
  readonly #previousExpected: Memory['steps'];
  readonly #previousDecisions: Memory['decided'];
  readonly #now: () => Date;
  readonly #salt: string;
  #allocated: number[][];
  #allocations = 0;
  /**
   * Checks share a read of the access state that began after this time. Undefined if no request waits for this run,
   * such as in a job: each check then reads the state again.
   */
  #accessSince: number | undefined;
  readonly #appendsTo = new Map<string, number>();
  readonly #statesAfter = new Map<string, unknown>();
  readonly #pieces: JobPieces | undefined;
  /**
   * The pace of this run; undefined for imports into data sets, which pace their pieces themselves, and for runs
   * without a limit.
   */
  readonly paced: PacedCommand | undefined;

  constructor(
    meta: CommandMeta,
    memory: Memory,
    dependencies: {
      streams: Streams;
      access: Access;
      pool: Pool;
      log: CommandLog;
      now: () => Date;
      pace?: Pace;
      bulkAnswerRows?: number;
      /** The arrival time of the request that this run answers. */
      arrivedAt?: number | undefined;
    },
    pieces?: JobPieces,
  ) {
    this.meta = meta;
    this.#salt = meta.salt ?? newSalt();
    this.#previousExpected = memory.steps;
    this.#previousDecisions = memory.decided;
    this.#allocated = memory.allocated;
    this.#streams = dependencies.streams;
    this.#accessSince = dependencies.arrivedAt;
    this.access = {
      current: () =>
        dependencies.access.current(
          this.#accessSince && Math.max(this.#accessSince, performance.now() - ACCESS_SHARED_MS),
        ),
    };
    this.pool = dependencies.pool;
    this.bulkAnswerRows = dependencies.bulkAnswerRows ?? BULK_ANSWER_ROWS;
    this.#log = dependencies.log;
    this.#now = dependencies.now;
    this.#pieces = pieces;
    this.paced = dependencies.pace && new PacedCommand(dependencies.pace);
  }

  /** The user on whose behalf the command runs. Throws for commands of the system, which have no user. */
  get actorId(): number {
    if (this.meta.actorId === null) throw new Error('The system has no user id');
    return this.meta.actorId;
  }

  /** The owner of uploads and selections: the same id as `Principal.userId`, which is negative for an API key. */
  get ownerId(): number {
    return this.meta.apiKeyId === undefined ? this.actorId : -this.meta.apiKeyId;
  }

  /** The level that the command's route requires. */
  get level(): Level {
    const level = this.meta.needs && declaredLevel(this.meta.needs);
    if (!level) throw new Error('The route of this command declares no level');
    return level;
  }

  /** The actor for permission checks. An API key is read again, so that its revocation applies at once. */
  async actor(): Promise<Actor> {
    if (this.meta.apiKeyId === undefined) return this.actorId;
    const key = await apiKeyById(this.pool, this.meta.apiKeyId);
    if (!key) throw new Refusal('FORBIDDEN', 'This API key was revoked or has expired');
    // The secret of the request may have been issued to another user than the creator of the key.
    return { ...key, createdBy: this.actorId };
  }

  /** Allocates the next ids of a sequence; the command gets the same ids when it runs again. */
  async allocate(sequence: IdSequence, count = 1): Promise<number[]> {
    const turn = this.#allocations++;
    const existing = this.#allocated[turn];
    if (existing) return existing;
    const { rows } = await this.pool.query<{ id: number }>(
      'SELECT nextval($1::regclass) AS id FROM generate_series(1, $2)',
      [`command.${sequence}`, count],
    );
    const allocations = [...this.#allocated, rows.map((row) => row.id)];
    // If the lease of this run expired, another run may have begun: both must use the same ids.
    this.#allocated = (await this.#log.rememberIds(this.meta.commandId, allocations)) ?? allocations;
    return this.#allocated[turn] as number[];
  }

  async allocateOne(sequence: IdSequence): Promise<number> {
    return (await this.allocate(sequence))[0] as number;
  }

  /**
   * Loads the current state of a stream for checks, not for decisions. Of a long stream, loads only the `touched` rows,
   * if given.
   */
  async load<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    touched?: RowLookup,
  ): Promise<LoadedStream<State>> {
    return this.#streams.load(kind, stream, touched);
  }

  /** The events of a stream from its beginning. */
  events(stream: string): AsyncIterable<RecordedEvent> {
    return this.#streams.events(stream);
  }

  /**
   * Decides on a stream, appends the events and returns the result of the decision. The grants on `dataSetIds` control
   * who can see the events. `touched` are the rows that the decision reads; of a long stream, only these rows are
   * loaded.
   */
  async change<State, E extends ProductEvent, Result>(
    kind: StreamKind<State, E>,
    stream: string,
    dataSetIds: readonly number[],
    decide: (state: State) => Decision<E, Result>,
    touched?: RowLookup,
  ): Promise<Result> {
    const turn = this.#appendsTo.get(stream) ?? 0;
    this.#appendsTo.set(stream, turn + 1);
    const step = `${stream}#${turn}`;
    const { commandId, actorId, apiKeyId, requestId, correlationId, sourceType } = this.meta;
    const changed = await this.#streams.change(
      kind,
      stream,
      {
        eventId: (index) => uuidv5(`${step}:${index}`, commandId),
        metadata: {
          $correlationId: correlationId,
          $causationId: commandId,
          actorId,
          ...(apiKeyId === undefined ? {} : { apiKeyId }),
          requestId,
          sourceType,
          dataSetIds: [...dataSetIds],
          salt: this.#salt,
        },
        now: this.#now,
        beforeAppend: (expected, decided) => this.#log.rememberStep(commandId, step, expected, decided),
        previousExpected: this.#previousExpected[step],
        previousDecision: this.#previousDecisions?.[step],
      },
      decide,
      touched,
    );
    if (changed.position !== undefined && (this.position === undefined || changed.position > this.position)) {
      this.position = changed.position;
    }
    this.#statesAfter.set(stream, changed.state);
    if (stream === ACCESS_STREAM && this.#accessSince !== undefined) this.#accessSince = performance.now();
    return changed.result;
  }

  /**
   * Makes a change of `rows` rows. Waits first while the read models are too far behind this run.
   */
  async withPace<T>(rows: number, change: () => Promise<T>): Promise<T> {
    return this.paced ? this.paced.appendPaced(rows, change, () => this.position) : change();
  }

  /** The job that runs this command; undefined while its request runs it. */
  get jobId(): number | undefined {
    return this.#pieces?.jobId;
  }

  /**
   * Decides one piece of a decision over many rows, with one append to its stream. Returns no outcomes if an earlier
   * run of the job decided the piece, or if the job was cancelled before the piece.
   */
  async piece(stream: string, decide: () => Promise<RowOutcome[]>): Promise<RowOutcome[]> {
    if (!this.#pieces) return decide();
    const turn = this.#appendsTo.get(stream) ?? 0;
    const step = `${stream}#${turn}`;
    if (this.#pieces.isDone(step)) {
      this.#appendsTo.set(stream, turn + 1);
      return [];
    }
    return this.#pieces.decide(step, this.#previousExpected[step] !== undefined, decide);
  }

  /** Sets the number of rows of a job whose request did not know the number. */
  setTotal(total: number): void {
    this.#pieces?.setTotal(total);
  }

  /** The counts of the job, once every row has an outcome; undefined before that, and therefore for a cancelled job. */
  finalCounts(): ImportCounts | undefined {
    return this.#pieces?.finalCounts();
  }

  /** Computes a value once per job and stores it as JSON for later runs, because the pieces of the job depend on it. */
  once<Result>(compute: () => Promise<Result>): Promise<Result> {
    return this.#pieces ? this.#pieces.once(compute) : compute();
  }

  /**
   * Logs a message about rows that the job skipped. Rethrows `error` if it means that the job must stop. Does nothing
   * outside of a job.
   */
  async logSkipped(message: string, error: unknown): Promise<void> {
    await this.#pieces?.logSkipped(message, error);
  }

  /**
   * The state after this command's last change of a stream, without later changes by other commands. Only for kinds
   * whose `evolve` returns a new object.
   */
  after<State, E extends DomainEvent>(_kind: StreamKind<State, E>, stream: string): State {
    if (!this.#statesAfter.has(stream)) throw new Error(`This command has not changed ${stream}`);
    return this.#statesAfter.get(stream) as State;
  }
}
