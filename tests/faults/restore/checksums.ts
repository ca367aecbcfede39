/** Computes checksums of a product's read models. */
import type { Stack } from '@rdm/embedded/stack';
import { createPool } from '@rdm/platform';
import { expect, vi } from 'vitest';

/** Tables that the leading projector fills a moment after the other tables. */
export const SEARCH_TABLES = ['instances.search_entries', 'instances.search_sets'];
/** The checksum of an empty table. */
export const EMPTY_TABLE = 'd41d8cd98f00b204e9800998ecf8427e';

export interface Checksums {
  tables: Record<string, string>;
  audit: string;
}

export const checksumsWhen = (
  stack: Stack,
  seq: number,
  isComplete: (sums: Checksums) => boolean,
): Promise<Checksums> =>
  vi.waitFor(
    async () => {
      const sums = await checksums(stack, seq);
      expect(isComplete(sums)).toBe(true);
      return sums;
    },
    { timeout: 60_000, interval: 200 },
  );

/**
 * Returns checksums of the serving read models, and of the audit log up to an event. Read models that a restore changes
 * are left out, such as those of backups, API keys and notifications.
 */
async function checksums(stack: Stack, seq: number): Promise<Checksums> {
  const pool = createPool(stack.databaseUrl, { max: 1 });
  try {
    const checksumOf = async (table: string, where = '') =>
      (
        await pool.query(
          `SELECT md5(coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '')) AS sum FROM ${table} t ${where}`,
        )
      ).rows[0].sum as string;
    const { rows } = await pool.query<{ build: string; schema: string; name: string }>(
      `SELECT b.name AS build, b.schema_name AS schema, t.tablename AS name FROM platform.builds b JOIN pg_tables t ON t.schemaname = b.schema_name
        WHERE b.serving ORDER BY 1, 3`,
    );
    const tables: Record<string, string> = {};
    let audit = '';
    for (const { build, schema, name } of rows) {
      if (name === 'audit_logs') audit = await checksumOf(`${schema}.${name}`, `WHERE seq <= ${seq}`);
      if (!/^(audit|backup|api_key|change|notification|live)/.test(build))
        tables[`${build}.${name}`] = await checksumOf(`${schema}.${name}`);
    }
    return { tables, audit };
  } finally {
    await pool.end();
  }
}

export async function waitUntilProjected(stack: Stack, seq: number): Promise<void> {
  const pool = createPool(stack.databaseUrl, { max: 1 });
  try {
    await vi.waitFor(
      async () => {
        const { rows } = await pool.query('SELECT seq FROM platform.reader');
        expect(rows[0].seq).toBeGreaterThanOrEqual(seq);
      },
      { timeout: 60_000, interval: 100 },
    );
  } finally {
    await pool.end();
  }
}
