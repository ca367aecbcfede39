/** Stores the errors of a service for the diagnostics page, in batches, so that callers do not wait. */
import { ERROR_DAYS, ERRORS_PER_MINUTE, type ErrorView, type Refusal } from '@rdm/contracts';
import type { Queryable } from '../postgres/postgres.ts';
import type { Log } from './log.ts';
import type { Metrics } from './metrics.ts';

/** An error to store. The product words the message, because an exception can quote values or addresses. */
export type NewError = Pick<ErrorView, 'kind' | 'code' | 'message'> &
  Partial<Pick<ErrorView, 'route' | 'status' | 'correlationId' | 'actorId'>>;

export interface ErrorLog {
  /** Queues an error; never waits and never throws. */
  record(error: NewError): void;
  /** Writes the recorded errors. Errors that cannot be written count as omitted. */
  flush(): Promise<void>;
}

export interface ErrorLogOptions {
  db: Queryable;
  service: string;
  log: Log;
  /** Left out in processes without metrics. */
  metrics?: Metrics;
  now?: () => number;
}

const FLUSH_EVERY_MS = 1_000;

export function openErrorLog({ db, service, log, metrics, now = Date.now }: ErrorLogOptions): ErrorLog {
  const omittedTotal = metrics?.counter('errors_omitted_total', 'Errors that the diagnostics page does not list');
  let unwritten: (NewError & { at: number })[] = [];
  /** The number of errors that are not listed and not yet counted in PostgreSQL. */
  let omitted = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;

  const omit = (count: number) => {
    omitted += count;
    omittedTotal?.inc(count);
  };

  async function write(): Promise<void> {
    const [errors, uncounted] = [unwritten, omitted];
    unwritten = [];
    omitted = 0;
    if (errors.length + uncounted === 0) return;
    try {
      const { rows } = await db.query<{ listed: number }>(WRITE, [
        service,
        JSON.stringify(errors),
        ERRORS_PER_MINUTE,
        errors.length + uncounted,
      ]);
      omittedTotal?.inc(errors.length - (rows[0]?.listed ?? 0));
    } catch (error) {
      log.warn({ err: error, dropped: errors.length }, 'Errors could not be listed for the diagnostics page');
      omitted += uncounted;
      omit(errors.length);
    }
  }

  const schedule = () => {
    timer ??= setTimeout(() => void flush(), FLUSH_EVERY_MS).unref();
  };

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    // Run one statement at a time, so that an unresponsive database blocks only one connection.
    writing ??= write().finally(() => {
      writing = undefined;
      if (unwritten.length > 0) schedule();
    });
    return writing;
  }

  return {
    record(error) {
      if (unwritten.length >= ERRORS_PER_MINUTE) omit(1);
      else unwritten.push({ ...error, at: now() });
      if (!writing) schedule();
    },
    async flush() {
      await writing;
      await flush();
    },
  };
}

/** Stores errors up to the limit per minute, which all instances of a service share. Counts further errors. */
const WRITE = `
  WITH listed AS (
    INSERT INTO telemetry.errors (at, service, kind, route, status, code, message, correlation_id, actor_id)
    SELECT to_timestamp(e.at / 1000.0), $1, e.kind, e.route, e.status, e.code, e.message, e."correlationId", e."actorId"
      FROM jsonb_to_recordset($2::jsonb) AS e (at bigint, kind text, route text, status integer, code text, message text,
        "correlationId" text, "actorId" bigint)
     ORDER BY e.at
     LIMIT greatest(0, $3::int - (SELECT count(*) FROM telemetry.errors
       WHERE service = $1 AND at > now() - interval '1 minute'))
    RETURNING 1),
  omitted AS (
    INSERT INTO telemetry.omitted_errors AS kept (service, minute, count)
    SELECT $1, date_trunc('minute', now()), $4::int - count(*) FROM listed HAVING count(*) < $4::int
    ON CONFLICT (service, minute) DO UPDATE SET count = kept.count + excluded.count)
  SELECT count(*) AS listed FROM listed`;

/** Deletes errors and counts of omitted errors that are older than `ERROR_DAYS`. */
export async function pruneErrors(db: Queryable): Promise<void> {
  for (const [table, at] of [
    ['telemetry.errors', 'at'],
    ['telemetry.omitted_errors', 'minute'],
  ] as const) {
    await db.query(`DELETE FROM ${table} WHERE ${at} < now() - $1 * interval '1 day'`, [ERROR_DAYS]);
  }
}

const MESSAGES: Partial<Record<string, string>> = {
  UNAVAILABLE: 'A part of the system was not available',
  BEHIND: 'The read models did not include the latest changes yet',
};

/** Returns the entry for a failed request; undefined for a status below 500. */
export function describeFailure(
  error: unknown,
  refusal: Refusal | undefined,
): Pick<NewError, 'status' | 'code' | 'message'> | undefined {
  const status = refusal?.status ?? 500;
  if (status < 500) return undefined;
  const message = MESSAGES[refusal?.code ?? ''] ?? 'The service failed: its log has the reason';
  return { status, code: errorCode(error), message };
}

const CODE = /^[\w-]{1,60}$/;

/** Returns the code of an error if it matches `CODE`, otherwise a matching name, otherwise `Error`. */
export function errorCode(error: unknown): string {
  const { code, name } = (typeof error === 'object' && error !== null ? error : {}) as Record<string, unknown>;
  return [code, name].find((text): text is string => typeof text === 'string' && CODE.test(text)) ?? 'Error';
}
