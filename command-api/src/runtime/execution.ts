/** One run of a command: the ids it takes, the streams it changes and how far into the log it reached. */
import {
  type Actor,
  BULK_ANSWER_ROWS,
  type DomainEvent,
  type Level,
  type ProductEvent,
  type RecordedEvent,
  Refusal,
  type RowOutcome,
  type SourceType,
} from '@rdm/contracts';
import { type Access, apiKeyById, declaredLevel, type Pool, type RouteAccess } from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import type { Decision } from './decision.ts';
import type { JobPieces } from './job-pieces.ts';
import { type Pace, PacedCommand } from './pace.ts';
import type { RowLookup } from './row-cache.ts';
import type { DecidedStep, Loaded, StreamKind, Streams } from './streams.ts';

/** Sequences of the command side; rows take blocks of them. */
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
  | 'filter_configuration_ids';

export interface CommandMeta {
  commandId: string;
  /** The user who acts, or who created the key that does; null for the system itself. */
  actorId: number | null;
  apiKeyId?: number;
  /** What the route declares that the command came by; kept, so that its recovery asks the same. */
  needs?: RouteAccess;
  requestId: string;
  correlationId: string;
  sourceType: SourceType;
}

/** What a run left behind for its repetition: kept in the command's row. */
export interface Memory {
  allocated: number[][];
  /** `stream#n` → the revision the n-th append of this command to that stream expected. */
  steps: Record<string, number>;
  /** What was decided in steps whose streams are long. */
  decided?: Record<string, DecidedStep>;
}

export interface CommandLog {
  /** Answers the ids that stand, where runs of one command may meet: those of whichever remembered them first. */
  rememberIds(commandId: string, ids: number[][]): Promise<number[][] | undefined>;
  rememberStep(commandId: string, step: string, expected: number, decided?: DecidedStep): Promise<void>;
}

export class Execution {
  readonly meta: CommandMeta;
  readonly access: Access;
  readonly pool: Pool;
  /** The most selected rows that a request decides on: a job decides on more. */
  readonly bulkAnswerRows: number;
  /** The furthest position this run appended at. */
  position: bigint | undefined;
  readonly #streams: Streams;
  readonly #log: CommandLog;
  readonly #expectedBefore: Memory['steps'];
  readonly #decidedBefore: Memory['decided'];
  readonly #now: () => Date;
  #allocated: number[][];
  #allocations = 0;
  readonly #appendsTo = new Map<string, number>();
  readonly #led = new Map<string, unknown>();
  readonly #pieces: JobPieces | undefined;
  /** Left out by imports: they pace their pieces themselves. */
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
    },
    pieces?: JobPieces,
  ) {
    this.meta = meta;
    this.#expectedBefore = memory.steps;
    this.#decidedBefore = memory.decided;
    this.#allocated = memory.allocated;
    this.#streams = dependencies.streams;
    this.access = dependencies.access;
    this.pool = dependencies.pool;
    this.bulkAnswerRows = dependencies.bulkAnswerRows ?? BULK_ANSWER_ROWS;
    this.#log = dependencies.log;
    this.#now = dependencies.now;
    this.#pieces = pieces;
    this.paced = dependencies.pace && new PacedCommand(dependencies.pace);
  }

  /** Whose name stands behind what is done; only people's and keys' commands have one. */
  get actorId(): number {
    if (this.meta.actorId === null) throw new Error('The system has no user id');
    return this.meta.actorId;
  }

  /** Whose uploads and selections these are, as the gate names it: a key's are its own (Principal.userId). */
  get ownerId(): number {
    return this.meta.apiKeyId === undefined ? this.actorId : -this.meta.apiKeyId;
  }

  /** The level that the command's route declares: the one place that says what a command needs. */
  get level(): Level {
    const level = this.meta.needs && declaredLevel(this.meta.needs);
    if (!level) throw new Error('The route of this command declares no level');
    return level;
  }

  /** Who is asked for when levels and abilities are; a key as it stands now, so that a revocation bites at once. */
  async actor(): Promise<Actor> {
    if (this.meta.apiKeyId === undefined) return this.actorId;
    const key = await apiKeyById(this.pool, this.meta.apiKeyId);
    if (!key) throw new Refusal('FORBIDDEN', 'This API key was revoked or has expired');
    return key;
  }

  /** Takes the next ids of a sequence; a repetition takes the same ones again. */
  async allocate(sequence: IdSequence, count = 1): Promise<number[]> {
    const turn = this.#allocations++;
    const remembered = this.#allocated[turn];
    if (remembered) return remembered;
    const { rows } = await this.pool.query<{ id: number }>(
      'SELECT nextval($1::regclass) AS id FROM generate_series(1, $2)',
      [`command.${sequence}`, count],
    );
    const taken = [...this.#allocated, rows.map((row) => row.id)];
    // A run that was silent for long may have been taken for dead: its id and that of the other would be two effects.
    this.#allocated = (await this.#log.rememberIds(this.meta.commandId, taken)) ?? taken;
    return this.#allocated[turn] as number[];
  }

  async allocateOne(sequence: IdSequence): Promise<number> {
    return (await this.allocate(sequence))[0] as number;
  }

  /** The state of a stream at its tail, for checks on what this command does not write; of a long one the `touched` rows. */
  async load<State, E extends DomainEvent>(
    kind: StreamKind<State, E>,
    stream: string,
    touched?: RowLookup,
  ): Promise<Loaded<State>> {
    return this.#streams.load(kind, stream, touched);
  }

  /** The events of a stream from its beginning. */
  events(stream: string): AsyncIterable<RecordedEvent> {
    return this.#streams.events(stream);
  }

  /**
   * Decides on a stream and appends. `dataSetIds` are the data sets whose grants govern who may hear of it; `touched` are
   * the rows that the decision looks up, so that a long stream need not be read. Returns the decision's result.
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
        },
        now: this.#now,
        beforeAppend: (expected, decided) => this.#log.rememberStep(commandId, step, expected, decided),
        previousExpected: this.#expectedBefore[step],
        previousDecision: this.#decidedBefore?.[step],
      },
      decide,
      touched,
    );
    if (changed.position !== undefined && (this.position === undefined || changed.position > this.position)) {
      this.position = changed.position;
    }
    this.#led.set(stream, changed.state);
    return changed.result;
  }

  /** Changes what concerns so many rows, once the read models are not too far behind what this run changed before. */
  async withPace<T>(rows: number, change: () => Promise<T>): Promise<T> {
    return this.paced ? this.paced.appendPaced(rows, change, () => this.position) : change();
  }

  /** The job that takes this decision; undefined while it is answered in its request. */
  get jobId(): number | undefined {
    return this.#pieces?.jobId;
  }

  /**
   * One piece of a decision over many rows, which changes its stream once. In a job it is decided once, however often
   * the job is gone on with, and answers nothing when it was decided by an earlier run.
   */
  async piece(stream: string, decide: () => Promise<RowOutcome[]>): Promise<RowOutcome[]> {
    if (!this.#pieces) return decide();
    const turn = this.#appendsTo.get(stream) ?? 0;
    const step = `${stream}#${turn}`;
    if (this.#pieces.isDone(step)) {
      this.#appendsTo.set(stream, turn + 1);
      return [];
    }
    return this.#pieces.decide(step, this.#expectedBefore[step] !== undefined, decide);
  }

  /** Says how many rows the job has, where only its run finds out. */
  setTotal(total: number): void {
    this.#pieces?.setTotal(total);
  }

  /** Looks something up that the pieces of a job depend on: once, however often the job is gone on with. As plain JSON. */
  once<Found>(find: () => Promise<Found>): Promise<Found> {
    return this.#pieces ? this.#pieces.once(find) : find();
  }

  /** Says in the job's log what was left alone, and why; `error` ends the job where it came amid a piece. */
  async logSkipped(message: string, error: unknown): Promise<void> {
    await this.#pieces?.logSkipped(message, error);
  }

  /**
   * The state this command's last change of a stream led to: what its answer speaks of, whatever others did since.
   * For kinds that fold into new states.
   */
  after<State, E extends DomainEvent>(_kind: StreamKind<State, E>, stream: string): State {
    if (!this.#led.has(stream)) throw new Error(`This command has not changed ${stream}`);
    return this.#led.get(stream) as State;
  }
}
