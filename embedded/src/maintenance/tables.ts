/** Lists the tables that a backup contains, and reads them. */
import type { Client, Queryable } from '@rdm/platform';
import { to as copyTo } from 'pg-copy-streams';
import type { CopiedTable, SequenceState } from './format/entries.ts';

/** The schemas of the tables in `COPIED` and `LEFT_OUT`. Other tables can be rebuilt or belong to one installation. */
export const SCHEMAS = ['identity', 'command', 'jobs', 'telemetry'];

/** The tables that a backup contains. A spec fails if a table of `SCHEMAS` is in neither `COPIED` nor `LEFT_OUT`. */
export const COPIED = [
  'identity.users',
  'identity.password_history',
  'identity.login_attempts',
  'identity.request_contexts',
  'identity.outbox',
  'identity.api_keys',
  'identity.api_key_secrets',
  'identity.notification_marks',
  'identity.notifications_seen',
  'identity.home_marks',
  'command.commands',
  'command.decided_steps',
  'command.selection_criteria',
  'command.staged_files',
  'command.staged_chunks',
  'command.imports',
  'command.staged_rows',
  'command.import_steps',
  'command.import_drafts',
  'command.import_problems',
  'command.import_kept_keys',
  'command.import_memories',
  'command.bulk_decisions',
  'command.bulk_pieces',
  'command.purge_plans',
  'jobs.progress',
  'jobs.logs',
  'jobs.rejected_tables',
  'jobs.rejected_rows',
  'telemetry.missing_mappings',
  'telemetry.translation_requests',
  'telemetry.api_key_usage',
  'telemetry.errors',
  'telemetry.omitted_errors',
] as const;

/** The tables that a backup does not contain, with the reason. */
export const LEFT_OUT = {
  'identity.sessions': 'a restore ends all sessions',
  'identity.devices': 'secrets of browsers',
  'identity.reset_tokens': 'secrets that are valid for an hour',
  'identity.reset_requests': 'requests that are answered within seconds',
  'identity.used_id_tokens': 'tokens that expire within minutes',
  'identity.throttles': 'counters of the last hour',
  'identity.sign_in_locks': 'counts of failed sign-ins, and locks of at most a day',
  'identity.mail_outbox': 'mail with secret links',
  'telemetry.api_key_buckets': 'counters of the last minute',
  'command.backup_passphrases': 'secrets of backups that run',
} as const;

/** Settings with which every server writes a value as the same text. No time limit applies to statements. */
export const TEXT_FORMAT = `
  SET LOCAL timezone = 'UTC';
  SET LOCAL datestyle = 'ISO, YMD';
  SET LOCAL intervalstyle = 'postgres';
  SET LOCAL bytea_output = 'hex';
  SET LOCAL statement_timeout = 0`;

interface FoundTable extends CopiedTable {
  bytes: number;
  references: string[];
}

/**
 * Returns the tables to copy with their sizes in bytes. Each table follows the tables that it references. Throws if a
 * table is unknown: a newer version of the product created it.
 */
export async function tablesToCopy(client: Queryable): Promise<(CopiedTable & { bytes: number })[]> {
  const { rows } = await client.query<FoundTable>(
    `SELECT n.nspname || '.' || c.relname AS name, pg_table_size(c.oid) AS bytes,
            ARRAY(SELECT a.attname::text FROM pg_attribute a
                   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                   ORDER BY a.attnum) AS columns,
            ARRAY(SELECT DISTINCT rn.nspname || '.' || r.relname
                    FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid JOIN pg_namespace rn ON rn.oid = r.relnamespace
                   WHERE f.conrelid = c.oid AND f.contype = 'f' AND f.confrelid <> c.oid) AS references
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND n.nspname = ANY($1)
      ORDER BY 1`,
    [SCHEMAS],
  );
  const copied = new Set<string>(COPIED);
  const unknown = rows.find(({ name }) => !copied.has(name) && !Object.hasOwn(LEFT_OUT, name));
  if (unknown)
    throw new Error(`The table ${unknown.name} is unknown: a newer version of the product made this database`);
  return inOrderOfReferences(rows.filter(({ name }) => copied.has(name)));
}

function inOrderOfReferences(tables: FoundTable[]): (CopiedTable & { bytes: number })[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Map<string, CopiedTable & { bytes: number }>();
  const place = ({ name, columns, bytes, references }: FoundTable) => {
    if (ordered.has(name)) return;
    for (const referenced of references) {
      const table = byName.get(referenced);
      if (table) place(table);
    }
    ordered.set(name, { name, columns, bytes });
  };
  for (const table of tables) place(table);
  return [...ordered.values()];
}

/** Yields the rows as COPY text, in pieces of any length. */
export function copyRows(client: Client, { name, columns }: CopiedTable): AsyncIterable<Buffer> {
  return client.query(copyTo(`COPY ${name} (${columns.map((column) => `"${column}"`).join(', ')}) TO STDOUT`));
}

/** Reads the current values of the sequences. The values are never behind the rows of the snapshot. */
export async function readSequences(client: Client): Promise<SequenceState[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT schemaname || '.' || sequencename AS name FROM pg_sequences WHERE schemaname = ANY($1) ORDER BY 1`,
    [SCHEMAS],
  );
  const states: SequenceState[] = [];
  for (const { name } of rows) {
    const state = await client.query<{ lastValue: string; isCalled: boolean }>(
      `SELECT last_value::text AS "lastValue", is_called AS "isCalled" FROM ${name}`,
    );
    states.push(...state.rows.map((row) => ({ name, ...row })));
  }
  return states;
}
