/** Migrates a new database to the version of a backup, fills its tables from the backup, and runs later migrations. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Client, migrate, migrateTo, migrationNames, type Pool, type Queryable, transaction } from '@rdm/platform';
import { from as copyFrom } from 'pg-copy-streams';
import { damaged, MaintenanceError } from '../errors.ts';
import { type BackupHeader, type BackupPart, type CopiedTable, HEADER, type SequenceState } from '../format/entries.ts';
import { COPIED, TEXT_FORMAT } from '../tables.ts';

/** Throws NEWER_FORMAT or BACKUP_DAMAGED if this version of the product cannot fill the tables in the header. */
export function requireKnownSchema({ migrations, tables, product }: BackupHeader): void {
  const unknown = migrations.find((name) => !migrationNames.includes(name));
  if (unknown !== undefined) {
    const message = `The backup was made by version ${product.version} of the product, whose database has the migration ${unknown}. Install that version, or a later one, then restore again.`;
    throw new MaintenanceError('NEWER_FORMAT', message, { entry: HEADER });
  }
  const known = new Set<string>(COPIED);
  for (const { name, columns } of tables) {
    if (!known.has(name)) throw damaged(HEADER, `it names the table ${name}, which backups do not contain`);
    if (!columns.every((column) => /^[a-z_][a-z_0-9]*$/.test(column)))
      throw damaged(HEADER, `it has an invalid column name for ${name}`);
  }
}

/**
 * Fills the tables of an empty database from the parts up to the sequences, and runs the later migrations. Passes the
 * signing key of the backup to `onKey`, and returns the sequences.
 */
export async function fillDatabase(
  url: string,
  pool: Pool,
  parts: AsyncIterator<BackupPart>,
  onKey: (pem: string) => void,
): Promise<SequenceState[]> {
  const first = await parts.next();
  if (first.done || first.value.kind !== 'header') throw damaged(HEADER, 'it is missing');
  const { header } = first.value;
  requireKnownSchema(header);
  await migrateTo(url, header.migrations);
  const sequences = await transaction(pool, (client) => fillTables(client, header, parts, onKey));
  await migrate(url);
  return sequences;
}

async function fillTables(
  client: Client,
  { tables }: BackupHeader,
  parts: AsyncIterator<BackupPart>,
  onKey: (pem: string) => void,
): Promise<SequenceState[]> {
  await client.query(TEXT_FORMAT);
  // Remove rows that migrations have inserted.
  if (tables.length > 0) await client.query(`TRUNCATE ${tables.map(({ name }) => name).join(', ')} CASCADE`);
  for (;;) {
    const next = await parts.next();
    if (next.done) throw damaged('sequences.json', 'it is missing');
    const part = next.value;
    if (part.kind === 'signingKey') onKey(part.pem);
    if (part.kind === 'rows') await copyInto(client, part.table, part.content);
    if (part.kind !== 'sequences') continue;
    for (const { name, lastValue, isCalled } of part.sequences) {
      await client.query('SELECT setval($1::regclass, $2::bigint, $3)', [name, lastValue, isCalled]);
    }
    return part.sequences;
  }
}

async function copyInto(client: Client, { name, columns }: CopiedTable, content: Buffer): Promise<void> {
  const list = columns.map((column) => `"${column}"`).join(', ');
  await pipeline(Readable.from([content]), client.query(copyFrom(`COPY ${name} (${list}) FROM STDIN`)));
}

/** Returns the last allocated id of each sequence, or the number before its first id. */
export async function sequenceValues(db: Queryable): Promise<Map<string, bigint>> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT schemaname || '.' || sequencename AS name FROM pg_sequences WHERE schemaname = 'command'`,
  );
  const values = new Map<string, bigint>();
  for (const { name } of rows) {
    const { rows: states } = await db.query<{ value: string }>(
      `SELECT (last_value - CASE WHEN is_called THEN 0 ELSE 1 END)::text AS value FROM ${name}`,
    );
    values.set(name, BigInt(states[0]?.value ?? 0));
  }
  return values;
}

/** The sequences of row ids. An installation allocates many row ids. */
const ROW_SEQUENCES = ['instance_ids', 'relationship_value_ids', 'mapping_ids', 'missing_mapping_ids'];
/** The distance to the ids of the backup if the ids of the live data are unknown. */
const MARGIN = { rows: 10_000_000n, others: 1_000n };

/**
 * Advances the sequences past the ids of the live data, so that ids allocated after the backup are not used again.
 * Without `live`, advances the sequences by `MARGIN`.
 */
export async function continueSequences(db: Queryable, live: ReadonlyMap<string, bigint> | undefined): Promise<void> {
  for (const [name, restored] of await sequenceValues(db)) {
    const margin = ROW_SEQUENCES.includes(name.slice('command.'.length)) ? MARGIN.rows : MARGIN.others;
    const atLeast = live === undefined ? restored + margin : (live.get(name) ?? 0n);
    const last = atLeast > restored ? atLeast : restored;
    await db.query('SELECT setval($1::regclass, $2::bigint, false)', [name, String(last + 1n)]);
  }
}
