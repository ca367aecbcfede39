/** Checks of the rows that projectors have written. */
import type { LoggedEvent, Pool } from '@rdm/platform';
import { expect } from 'vitest';
import {
  checksumsOf,
  MemoryLog,
  type ProjectorEnvironment,
  schemaOf,
  waitUntilProjected,
} from '../../stories/projector/environment.ts';

/** Returns the checksums of the rows that a projector writes for these events. */
export async function checksumsOfLog(
  environment: ProjectorEnvironment,
  events: readonly LoggedEvent[],
): Promise<Record<string, string>> {
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...events);
  const { stop } = environment.project(url, log);
  await waitUntilProjected(pool, events.length);
  await stop();
  return checksumsOf(pool);
}

/** Expects that the audit log has every event once, and that every serving build has applied all events. */
export async function expectAllProjected(pool: Pool, eventCount: number): Promise<void> {
  const { rows: behind } = await pool.query('SELECT name FROM platform.builds WHERE serving AND seq <> $1', [
    eventCount,
  ]);
  expect(behind).toEqual([]);
  const audited = await pool.query(
    `SELECT count(*) AS count, max(seq) AS last FROM ${await schemaOf(pool, 'audit_log')}.audit_logs`,
  );
  expect(audited.rows[0]).toEqual({ count: eventCount, last: eventCount });
}
