/** Applies events to one build within a transaction: first all at once, and after a failure one by one. */
import type { Client } from '@rdm/platform';
import type { Batch } from './batch.ts';
import { type Build, type Checkpoint, checkpointOf } from './checkpoint.ts';
import type { NumberedEvent } from './numbered-event.ts';
import type { Revisions } from './projection.ts';

export interface ApplyResult {
  revisions: Revisions;
  /** The event that the build cannot apply, with the reason; the events up to `upTo` are applied. */
  failure?: { event: NumberedEvent; reason: unknown; upTo: Checkpoint };
}

/**
 * SQLSTATE classes of database problems: connection, conflict of transactions, resources, object state such as locks,
 * operator intervention, system, internal errors.
 */
const DATABASE_PROBLEM = /^(?:08|40|53|55|57|58|XX)[0-9A-Z]{3}$/;
/** Error codes of broken connections, from Node and the driver. */
const CONNECTION_CODES = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ERR_STREAM_PREMATURE_CLOSE)/;
const CONNECTION_MESSAGES = /Connection terminated|Client has encountered a connection error|Client was closed/;

/** Whether the database or its connection caused an error, and not the projection or the event. */
export function isInfrastructure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return DATABASE_PROBLEM.test(code) || CONNECTION_CODES.test(code) || CONNECTION_MESSAGES.test(error.message);
}

/** Applies a batch that follows the build's checkpoint. Throws only infrastructure errors. */
export async function applyBatch(client: Client, build: Build, batch: Batch): Promise<ApplyResult> {
  const relevant = batch.eventsFor(build.projection);
  if (relevant.length === 0) return { revisions: new Map() };
  const attemptedBatch = await attempt(client, build, relevant);
  if ('revisions' in attemptedBatch) return attemptedBatch;

  const revisions: Revisions = new Map();
  for (const event of relevant) {
    const attempted = await attempt(client, build, [event]);
    if ('revisions' in attempted) {
      for (const [seq, rowRevisions] of attempted.revisions) revisions.set(seq, rowRevisions);
      continue;
    }
    const before = batch.events[batch.events.indexOf(event) - 1];
    return { revisions, failure: { event, reason: attempted.reason, upTo: before ? checkpointOf(before) : build } };
  }
  return { revisions };
}

async function attempt(
  client: Client,
  { projection, schema }: Build,
  events: readonly NumberedEvent[],
): Promise<{ revisions: Revisions } | { reason: unknown }> {
  // A projection of all categories can store an event that cannot be decoded; any other projection fails.
  const undecodable = projection.categories === 'all' ? undefined : events.find((event) => event.undecodable);
  if (undecodable) return { reason: new Error(undecodable.undecodable) };
  await client.query('SAVEPOINT batch');
  try {
    const revisions = await projection.apply({ client, schema }, events);
    await client.query('RELEASE SAVEPOINT batch');
    return { revisions };
  } catch (reason) {
    if (isInfrastructure(reason)) throw reason;
    await client.query('ROLLBACK TO SAVEPOINT batch; RELEASE SAVEPOINT batch');
    return { reason };
  }
}
