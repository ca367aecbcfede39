/**
 * Makes each command take effect once: stores the command before its first decision, and stores one answer. Another
 * process can finish a stored command that has no answer.
 */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '@rdm/contracts';
import {
  type Access,
  type ApiAnswer,
  type ApiRequest,
  type Log,
  newSalt,
  type Pool,
  toRefusal,
  UNKNOWN_BODY_HASH,
} from '@rdm/platform';
import { v5 as uuidv5 } from 'uuid';
import type { DecidedStep } from './append-stamp.ts';
import { requireDeclaredRole } from './authorise.ts';
import {
  type CommandAnswer,
  INTERRUPTED_BODY,
  idOnly,
  refusalBody,
  type StoredAnswer,
  toApiAnswer,
} from './command-answer.ts';
import { type CommandLog, type CommandMeta, Execution } from './execution.ts';
import type { JobPieces } from './job-pieces.ts';
import type { Pace } from './pace.ts';
import { StepWriter } from './step-writer.ts';
import type { Streams } from './streams.ts';

/** A command definition. `Input` is plain JSON, so that recovery can run the command again. */
export interface CommandDefinition<Input> {
  name: string;
  /**
   * Whether body and answer are stored. False if the body is secret, personal or large: then only refusals and the ids
   * of successful answers are stored.
   */
  keep: boolean;
  run: (execution: Execution, input: Input) => Promise<CommandAnswer>;
}

export function command<Input>(
  name: string,
  run: CommandDefinition<Input>['run'],
  options: { keep?: boolean } = {},
): CommandDefinition<Input> {
  return { name, run, keep: options.keep ?? true };
}

const NAMESPACE = '6f1ed0b5-7a0e-4f2b-9f43-0d6f4a8c1e57';
/** If a lease is not renewed for this time, another process can finish the command. */
const LEASE_SECONDS = 5;
const RENEW_EVERY_MS = 1_000;
const WAIT_FOR_ANSWER_MS = 15_000;
const POLL_MS = 25;
const GIVE_UP_AFTER_MS = 24 * 3_600_000;

interface CommandRow {
  command_id: string;
  principal: string;
  name: string;
  body_hash: string;
  payload: { input: unknown; meta: CommandMeta } | null;
  allocated: number[][];
  steps: Record<string, number>;
  status: number | null;
  answer: Record<string, unknown> | null;
  position: string | null;
  created_at: Date;
}

export interface CommandsDependencies {
  pool: Pool;
  streams: Streams;
  access: Access;
  log: Log;
  /** Limits how far large commands run ahead of the read models; omitted where no read models exist. */
  pace?: Pace;
  /** The maximum number of selected rows that one request decides; defaults to the product's limit. */
  bulkAnswerRows?: number;
  /** Key of the HMAC over request bodies, so that a stored hash reveals nothing about a password. */
  secret: string;
  now: () => Date;
}

export class Commands implements CommandLog {
  readonly #deps: CommandsDependencies;
  readonly #steps: StepWriter;
  readonly #definitions = new Map<string, CommandDefinition<unknown>>();
  /** The commands whose leases this process holds. It renews the leases, because an append can take longer. */
  readonly #leased = new Set<string>();
  #renewing: NodeJS.Timeout | undefined;

  constructor(deps: CommandsDependencies) {
    this.#deps = deps;
    this.#steps = new StepWriter(async (commandId, steps) => {
      await deps.pool.query(
        `WITH decided AS (
           INSERT INTO command.decided_steps (command_id, step, decided)
           SELECT $1, key, value -> 'decided' FROM jsonb_each($2) WHERE value ? 'decided'
           ON CONFLICT (command_id, step) DO UPDATE SET decided = EXCLUDED.decided)
         UPDATE command.commands SET steps = steps || (SELECT jsonb_object_agg(key, value -> 'expected') FROM jsonb_each($2))
          WHERE command_id = $1`,
        [commandId, JSON.stringify(steps)],
      );
    });
  }

  /** Registers commands by name, so that recovery can run them. */
  register(definitions: readonly CommandDefinition<never>[]): void {
    for (const definition of definitions) {
      if (this.#definitions.has(definition.name)) throw new Error(`Two commands are named ${definition.name}`);
      this.#definitions.set(definition.name, definition as CommandDefinition<unknown>);
    }
  }

  /** Runs a command for a request. The same Idempotency-Key returns the same answer. */
  async handle<Input>(
    definition: CommandDefinition<Input>,
    request: Pick<
      ApiRequest,
      'principal' | 'arrivedAt' | 'needs' | 'idempotencyKey' | 'requestId' | 'correlationId' | 'sourceType'
    >,
    input: Input,
  ): Promise<ApiAnswer> {
    const { userId, apiKey } = request.principal;
    const principal = apiKey ? `key:${apiKey.apiKeyId}` : `user:${userId}`;
    const by = {
      ...(apiKey ? { actorId: apiKey.createdBy, apiKeyId: apiKey.apiKeyId } : { actorId: userId }),
      needs: request.needs,
      requestId: request.requestId,
      correlationId: request.correlationId,
      sourceType: request.sourceType,
    };
    return this.#run(definition, principal, request.idempotencyKey, input, by, request.arrivedAt);
  }

  /** Runs a command of the system or of a job. Calls with the same `key` and actor return the same answer. */
  async runAs<Input>(
    definition: CommandDefinition<Input>,
    key: string,
    input: Input,
    by: Omit<CommandMeta, 'commandId'>,
  ): Promise<ApiAnswer> {
    return this.#run(definition, `job:${by.actorId ?? 'system'}`, key, input, by);
  }

  /**
   * Runs up to 20 commands without an answer whose lease was not renewed for `silentForSeconds`. Returns their number,
   * including those that fail again or can no longer be run.
   */
  async recover(silentForSeconds = 30): Promise<number> {
    const { rows } = await this.#deps.pool.query<CommandRow>(
      `UPDATE command.commands SET leased_until = now() + interval '${LEASE_SECONDS} seconds'
        WHERE command_id IN (
          SELECT command_id FROM command.commands
           WHERE status IS NULL AND leased_until < now() - $1 * interval '1 second'
           ORDER BY created_at LIMIT 20 FOR UPDATE SKIP LOCKED)
       RETURNING *`,
      [silentForSeconds - LEASE_SECONDS],
    );
    // The commands run one after the other, so renew all leases first.
    for (const row of rows) this.#renewLease(row.command_id);
    for (const row of rows) {
      const definition = this.#definitions.get(row.name);
      if (!row.payload || !definition) {
        // Recovery cannot run a command whose body is not stored (`keep: false`): the caller must send a new request.
        await this.#answer(row.command_id, { status: 409, body: INTERRUPTED_BODY, position: undefined });
        this.#stopRenewing(row.command_id);
        continue;
      }
      try {
        await this.#execute(definition, row, row.payload.input, row.payload.meta);
      } catch (error) {
        this.#deps.log.warn({ err: error, commandId: row.command_id }, 'A command could not be finished yet');
        // If a command could not be finished for a day, answer it with an error, so that it is not retried forever.
        if (Date.now() - row.created_at.getTime() > GIVE_UP_AFTER_MS) {
          await this.#answer(row.command_id, { status: 409, body: INTERRUPTED_BODY, position: undefined });
        }
      }
    }
    return rows.length;
  }

  /** Runs the command of a job, or resumes it; `remember` stores its steps. */
  async resume(commandId: string, pieces: JobPieces, remember: CommandLog['rememberStep']): Promise<void> {
    const row = await this.#loadCommand(commandId);
    const definition = row && this.#definitions.get(row.name);
    if (!row?.payload || !definition) throw new Error(`Command ${commandId} cannot be resumed`);
    const log: CommandLog = { rememberIds: (id, ids) => this.rememberIds(id, ids), rememberStep: remember };
    const execution = new Execution(row.payload.meta, row, { ...this.#deps, log }, pieces);
    await requireDeclaredRole(execution);
    await definition.run(execution, row.payload.input);
  }

  /** Deletes commands that have an answer, 7 days after they were stored. */
  async prune(): Promise<void> {
    await this.#deps.pool.query(
      `DELETE FROM command.commands WHERE status IS NOT NULL AND created_at < now() - interval '7 days'`,
    );
  }

  async rememberIds(commandId: string, ids: number[][]): Promise<number[][] | undefined> {
    const { rows } = await this.#deps.pool.query<{ allocated: number[][] }>(
      `UPDATE command.commands
          SET allocated = CASE WHEN jsonb_array_length(allocated) < jsonb_array_length($2) THEN $2 ELSE allocated END
        WHERE command_id = $1 RETURNING allocated`,
      [commandId, JSON.stringify(ids)],
    );
    return rows[0]?.allocated;
  }

  rememberStep(commandId: string, step: string, expected: number, decided?: DecidedStep): Promise<void> {
    return this.#steps.remember(commandId, step, { expected, decided });
  }

  async #run<Input>(
    definition: CommandDefinition<Input>,
    principal: string,
    key: string,
    input: Input,
    by: Omit<CommandMeta, 'commandId'>,
    arrivedAt?: number,
  ): Promise<ApiAnswer> {
    const commandId = uuidv5(`${principal}:${key}`, NAMESPACE);
    const meta: CommandMeta = { ...by, commandId, salt: newSalt() };
    const bodyHash = createHmac('sha256', this.#deps.secret)
      .update(JSON.stringify([definition.name, input]))
      .digest('hex');
    const inserted = await this.#deps.pool.query(
      `INSERT INTO command.commands (command_id, principal, name, body_hash, payload, request_id, leased_until)
       VALUES ($1, $2, $3, $4, $5, $6, now() + interval '${LEASE_SECONDS} seconds') ON CONFLICT DO NOTHING`,
      [
        commandId,
        principal,
        definition.name,
        bodyHash,
        definition.keep ? JSON.stringify({ input, meta }) : null,
        by.requestId,
      ],
    );
    if (inserted.rowCount === 1) {
      return toApiAnswer(
        await this.#execute(definition, { command_id: commandId, allocated: [], steps: {} }, input, meta, arrivedAt),
      );
    }
    return toApiAnswer(await this.#handleRepeatedKey(definition, commandId, bodyHash, input, meta));
  }

  /** Handles a repeated key: returns the stored answer, waits for a running command, or finishes an interrupted one. */
  async #handleRepeatedKey<Input>(
    definition: CommandDefinition<Input>,
    commandId: string,
    bodyHash: string,
    input: Input,
    meta: CommandMeta,
  ): Promise<StoredAnswer> {
    const until = Date.now() + WAIT_FOR_ANSWER_MS;
    for (;;) {
      const row = await this.#loadCommand(commandId);
      // After a restore with another session secret, hashes cannot be compared: compare the command names.
      if (row && (row.body_hash === UNKNOWN_BODY_HASH ? row.name !== definition.name : row.body_hash !== bodyHash)) {
        throw new Refusal('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request');
      }
      if (row && row.status !== null) {
        return { status: row.status, body: row.answer ?? {}, position: row.position ?? undefined };
      }
      const claimed = await this.#deps.pool.query<CommandRow>(
        `UPDATE command.commands SET leased_until = now() + interval '${LEASE_SECONDS} seconds'
          WHERE command_id = $1 AND status IS NULL AND leased_until < now() RETURNING *`,
        [commandId],
      );
      const [claimedRow] = claimed.rows;
      if (claimedRow) {
        const salt = claimedRow.payload?.meta.salt ?? meta.salt;
        return this.#execute(definition, claimedRow, input, salt === undefined ? meta : { ...meta, salt });
      }
      if (Date.now() > until) {
        throw new Refusal('IN_PROGRESS', 'This request is still in progress. Please send it again.', undefined, 1);
      }
      await sleep(POLL_MS);
    }
  }

  async #loadCommand(commandId: string): Promise<CommandRow | undefined> {
    const { rows } = await this.#deps.pool.query<CommandRow>('SELECT * FROM command.commands WHERE command_id = $1', [
      commandId,
    ]);
    return rows[0];
  }

  async #execute<Input>(
    definition: CommandDefinition<Input>,
    row: Pick<CommandRow, 'command_id' | 'allocated' | 'steps'>,
    input: Input,
    meta: CommandMeta,
    arrivedAt?: number,
  ): Promise<StoredAnswer> {
    this.#renewLease(row.command_id);
    try {
      return await this.#executeLeased(definition, row, input, meta, arrivedAt);
    } finally {
      this.#stopRenewing(row.command_id);
    }
  }

  async #executeLeased<Input>(
    definition: CommandDefinition<Input>,
    row: Pick<CommandRow, 'command_id' | 'allocated' | 'steps'>,
    input: Input,
    meta: CommandMeta,
    arrivedAt: number | undefined,
  ): Promise<StoredAnswer> {
    const decided = await this.#decidedSteps(row);
    const execution = new Execution(meta, { ...row, decided }, { ...this.#deps, log: this, arrivedAt });
    let answer: StoredAnswer;
    try {
      await requireDeclaredRole(execution);
      const answered = await definition.run(execution, input);
      // A command that became a job (202) is large, and its work has not started yet: it does not count as activity.
      if (execution.paced && answered.status !== 202) this.#deps.pace?.recordCommandEnd(execution.paced, meta.actorId);
      answer = { status: answered.status ?? 200, body: answered.body ?? {}, position: execution.position?.toString() };
    } catch (error) {
      const refusal = toRefusal(error);
      // A temporary error is not stored as the answer: a repeated request or recovery runs the command again.
      if (!refusal || refusal.status >= 429) {
        await this.#release(row.command_id);
        throw error;
      }
      answer = { status: refusal.status, body: refusalBody(refusal), position: await this.#positionOf(refusal) };
    }
    const stored = definition.keep || answer.status >= 400 ? answer : { ...answer, body: idOnly(answer.body) };
    await this.#answer(row.command_id, stored);
    return answer;
  }

  /**
   * For a command that was refused as STALE: a position after the other user's change, so that the caller's next read
   * has the change.
   */
  async #positionOf({ code }: Refusal): Promise<string | undefined> {
    if (code !== 'STALE') return undefined;
    try {
      return (await this.#deps.streams.end())?.toString();
    } catch (error) {
      // Answer the refusal without the position.
      this.#deps.log.warn({ err: error }, 'The end of the log could not be read for a stale command');
      return undefined;
    }
  }

  /** The stored decisions of an earlier run, for steps on long streams. */
  async #decidedSteps({ command_id, steps }: Pick<CommandRow, 'command_id' | 'steps'>) {
    if (Object.keys(steps).length === 0) return {};
    const { rows } = await this.#deps.pool.query<{ step: string; decided: DecidedStep }>(
      'SELECT step, decided FROM command.decided_steps WHERE command_id = $1',
      [command_id],
    );
    return Object.fromEntries(rows.map(({ step, decided }) => [step, decided]));
  }

  /** Renews the lease of a command every second until `#stopRenewing`. */
  #renewLease(commandId: string): void {
    this.#leased.add(commandId);
    this.#renewing ??= setInterval(() => void this.#renew(), RENEW_EVERY_MS).unref();
  }

  #stopRenewing(commandId: string): void {
    this.#leased.delete(commandId);
    if (this.#leased.size > 0) return;
    clearInterval(this.#renewing);
    this.#renewing = undefined;
  }

  async #renew(): Promise<void> {
    await this.#deps.pool
      .query(
        `UPDATE command.commands SET leased_until = now() + interval '${LEASE_SECONDS} seconds'
          WHERE command_id = ANY($1) AND status IS NULL`,
        [[...this.#leased]],
      )
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'Leases could not be renewed; trying again'));
  }

  async #release(commandId: string): Promise<void> {
    await this.#deps.pool
      .query('UPDATE command.commands SET leased_until = now() WHERE command_id = $1 AND status IS NULL', [commandId])
      .catch((error: unknown) => this.#deps.log.warn({ err: error }, 'A lease could not be released; it will expire'));
  }

  /** Stores the answer before it is sent, so that a repeated request gets the same answer. */
  async #answer(commandId: string, answer: StoredAnswer): Promise<void> {
    await this.#deps.pool.query(
      `WITH decided AS (DELETE FROM command.decided_steps WHERE command_id = $1)
       UPDATE command.commands SET status = $2, answer = $3, position = $4, answered_at = now()
        WHERE command_id = $1 AND status IS NULL`,
      [commandId, answer.status, JSON.stringify(answer.body), answer.position ?? null],
    );
  }
}
