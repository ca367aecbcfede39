/**
 * Commands while every process is killed at random: none acknowledged is lost, none is doubled by asking again, and
 * read models built anew say the same (reliability checks 1 and 5). FAULTS=long runs 200 kills over 50,000 commands.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { checksums, projections } from '@rdm/projector';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedSeed, random } from '../conformance/seed.ts';
import { startTestStack, type TestStack } from '../test-stack.ts';
import { bodyOf, CarefulClient } from './careful-client.ts';

const LONG = process.env['FAULTS'] === 'long';
const KILLS = LONG ? 200 : 5;
const COMMANDS = LONG ? 50_000 : 200;
const REBUILD_PATIENCE_MS = LONG ? 600_000 : 60_000;
const WRITERS = 16;
const PASSWORD = 'Under-fire-1';
const PARTS = ['command-api', 'event-store', 'projector', 'query-api', 'postgres'];

let stack: TestStack;
let client: CarefulClient;

const insist: CarefulClient['insist'] = (...said) => client.insist(...said);

beforeAll(async () => {
  stack = await startTestStack('under-fire', { adminPassword: PASSWORD });
  client = new CarefulClient(stack.baseUrl);
  await client.signIn('admin', PASSWORD);
});
afterAll(() => stack?.stop());

async function newDataSet(): Promise<number> {
  const schemas = [
    { name: 'code', dataType: 'string', isPrimaryKey: true },
    { name: 'count', dataType: 'number' },
  ];
  const type = bodyOf(await insist('POST', '/api/reference-types', { name: `Fire ${randomUUID()}`, schemas }));
  return bodyOf(await insist('POST', '/api/reference-data', { name: 'Under fire', typeId: type.id })).id;
}

describe('under fire', () => {
  it('every acknowledged command has one effect, and read models built anew agree', async () => {
    const next = random(announcedSeed('under fire'));
    const dataSetId = await newDataSet();
    const rows = `/api/reference-data/${dataSetId}/instances`;
    /** Row id → the count it was last acknowledged to have. */
    const acknowledged = new Map<number, { code: string; count: number }>();
    let commands = 0;
    let writing = true;

    const write = async (writer: number) => {
      for (let turn = 0; commands < COMMANDS; turn++) {
        commands += 1;
        const code = `${writer}-${turn}`;
        const added = bodyOf(await insist('POST', rows, { data: { code, count: 0 } }));
        acknowledged.set(added.id, { code, count: 0 });
        if (turn % 2 === 1) continue;
        commands += 1;
        const change = [{ id: added.id, revision: 1, data: { count: 1 } }];
        const { results } = bodyOf(await insist('PATCH', rows, change));
        // Nobody else touches the row: told anything but done, an edit was doubled or lost.
        expect(results[0]).toMatchObject({ outcome: 'done', revision: 2 });
        acknowledged.set(added.id, { code, count: 1 });
      }
    };
    const kill = async () => {
      for (let kills = 0; kills < KILLS; kills++) {
        const from = commands;
        // The next kill comes at a random moment of the next part of the work.
        const at = from + Math.ceil(next() * ((COMMANDS / KILLS) * 1.5));
        while (writing && commands < at && commands < COMMANDS) await pause(5);
        if (!writing) return kills;
        const name = PARTS[kills % PARTS.length] ?? '';
        await stack.parts[name]?.ready();
        stack.parts[name]?.kill9();
      }
      return KILLS;
    };
    const killing = kill();
    await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer))).finally(() => {
      writing = false;
    });
    const kills = await killing;
    for (const part of Object.values(stack.parts)) await part.ready();

    const db = new pg.Client({ connectionString: stack.databaseUrl });
    await db.connect();
    try {
      const shown = async () => {
        const { rows: builds } = await db.query(
          `SELECT schema_name FROM platform.builds WHERE name = 'instances' AND serving`,
        );
        const read = await db.query(
          `SELECT id::float8 AS id, data, revision FROM ${builds[0].schema_name}.instances WHERE data_set_id = $1 AND NOT deleted`,
          [dataSetId],
        );
        return new Map(read.rows.map((row) => [row.id, { code: row.data['1'], count: row.data['2'] }]));
      };
      // The last edits may still be on their way.
      await expect.poll(shown, { timeout: 60_000, interval: 50 }).toEqual(acknowledged);
      expect(bodyOf(await insist('GET', '/api/audit-logs/verify', undefined))).toMatchObject({ intact: true });
      await rebuildAndCompare(db);
      expect(await shown()).toEqual(acknowledged);
      console.info(`${commands} commands, ${acknowledged.size} rows, ${kills} kills: 0 lost, 0 doubled, rebuild equal`);
    } finally {
      await db.end();
    }
  });

  it('the same key ten times, at once and across a restart, is one effect and one answer', async () => {
    const dataSetId = await newDataSet();
    const rows = `/api/reference-data/${dataSetId}/instances`;
    const key = randomUUID();
    const ask = () => insist('POST', rows, { data: { code: 'once', count: 0 } }, key);
    const first = Array.from({ length: 5 }, ask);
    stack.parts['command-api']?.kill9();
    const answers = await Promise.all(first);
    await stack.parts['command-api']?.restart();
    answers.push(...(await Promise.all(Array.from({ length: 5 }, ask))));
    expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(201));
    expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
    expect((await insist('POST', rows, { data: { code: 'once', count: 0 } })).text).toContain('DUPLICATE_KEY');
  });
});

/** Rebuilds each projection beside its serving build and compares the checksums of both. */
async function rebuildAndCompare(db: pg.Client): Promise<void> {
  const { serviceSecret } = JSON.parse(readFileSync(join(stack.dataDir, 'secrets.json'), 'utf8'));
  const ports = JSON.parse(readFileSync(join(stack.dataDir, 'ports.json'), 'utf8'));
  const rebuild = async (projection: (typeof projections)[number]) => {
    const schema = async () =>
      (await db.query('SELECT schema_name FROM platform.builds WHERE name = $1 AND serving', [projection.name])).rows[0]
        .schema_name as string;
    const before = await schema();
    const incremental = await checksums(db, before, projection);
    const asked = await fetch(`http://127.0.0.1:${ports.projector}/internal/projections/${projection.name}/rebuild`, {
      method: 'POST',
      headers: { 'X-Service-Secret': serviceSecret },
    });
    expect(asked.status).toBeLessThan(300);
    const after = await eventually(async () => {
      const now = await schema();
      return now === before ? undefined : now;
    });
    expect({ [projection.name]: await checksums(db, after, projection) }).toEqual({ [projection.name]: incremental });
  };
  await Promise.all(projections.map(rebuild));
}

async function eventually<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const until = Date.now() + REBUILD_PATIENCE_MS; ; await pause(50)) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > until) throw new Error('This never came true');
  }
}
