/**
 * Kills processes at random times while clients send commands (reliability checks 1 and 5). FAULTS=long runs 200 kills
 * over 50,000 commands, and 30 kills over 10,000 commands on two instances of each service.
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
import { bodyOf, RetryingClient } from './retrying-client.ts';

const LONG = process.env['FAULTS'] === 'long';
const TOPOLOGIES = LONG
  ? [
      { instances: 1, kills: 200, commands: 50_000 },
      { instances: 2, kills: 30, commands: 10_000 },
    ]
  : [{ instances: 1, kills: 5, commands: 200 }];
const REBUILD_PATIENCE_MS = LONG ? 600_000 : 60_000;
const WRITERS = 16;
const PASSWORD = 'Random-kills-1';

let stack: TestStack;
let client: RetryingClient;

const send: RetryingClient['send'] = (...parameters) => client.send(...parameters);

async function newDataSet(): Promise<number> {
  const schemas = [
    { name: 'code', dataType: 'string', isPrimaryKey: true },
    { name: 'count', dataType: 'number' },
  ];
  const type = bodyOf(await send('POST', '/api/reference-types', { name: `Type for kills ${randomUUID()}`, schemas }));
  return bodyOf(await send('POST', '/api/reference-data', { name: 'Random kills', typeId: type.id })).id;
}

/** The names of all processes but the front door, which all clients share. */
const killableParts = (): string[] => Object.keys(stack.parts).filter((name) => name !== 'front-door');

describe.each(TOPOLOGIES)(
  'commands under random kills, $instances of each service',
  ({ instances, kills: killsMax, commands: commandsMax }) => {
    beforeAll(async () => {
      stack = await startTestStack('random-kills', { adminPassword: PASSWORD, instances });
      client = new RetryingClient(stack.baseUrl);
      await client.signIn('admin', PASSWORD);
    });
    afterAll(() => stack?.stop());

    it('take effect exactly once, also in rebuilt read models', async () => {
      const next = random(announcedSeed(`random kills ${instances}`));
      const dataSetId = await newDataSet();
      const path = `/api/reference-data/${dataSetId}/instances`;
      /** The code and the last acknowledged count of each row, by row id. */
      const acknowledged = new Map<number, { code: string; count: number }>();
      let commands = 0;
      let isWriting = true;

      const writeUntilDone = async (writer: number) => {
        for (let turn = 0; commands < commandsMax; turn++) {
          commands += 1;
          const code = `${writer}-${turn}`;
          const added = bodyOf(await send('POST', path, { data: { code, count: 0 } }));
          acknowledged.set(added.id, { code, count: 0 });
          if (turn % 2 === 1) continue;
          commands += 1;
          const change = [{ id: added.id, revision: 1, data: { count: 1 } }];
          const { results } = bodyOf(await send('PATCH', path, change));
          // No other client changes the row, so any other outcome shows an edit that was lost or took effect twice.
          expect(results[0]).toMatchObject({ outcome: 'done', revision: 2 });
          acknowledged.set(added.id, { code, count: 1 });
        }
      };
      const parts = killableParts();
      const killAtRandom = async () => {
        for (let kills = 0; kills < killsMax; kills++) {
          const from = commands;
          const killAt = from + Math.ceil(next() * ((commandsMax / killsMax) * 1.5));
          while (isWriting && commands < killAt && commands < commandsMax) await pause(5);
          if (!isWriting) return kills;
          const name = parts[kills % parts.length] ?? '';
          await stack.parts[name]?.ready();
          stack.parts[name]?.kill9();
        }
        return killsMax;
      };
      const killing = killAtRandom();
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeUntilDone(writer))).finally(() => {
        isWriting = false;
      });
      const kills = await killing;
      for (const part of Object.values(stack.parts)) await part.ready();

      const db = new pg.Client({ connectionString: stack.databaseUrl });
      await db.connect();
      try {
        const readRows = async () => {
          const { rows: builds } = await db.query(
            `SELECT schema_name FROM platform.builds WHERE name = 'instances' AND serving`,
          );
          const read = await db.query(
            `SELECT id::float8 AS id, data, revision FROM ${builds[0].schema_name}.instances WHERE data_set_id = $1 AND NOT deleted`,
            [dataSetId],
          );
          return new Map(read.rows.map((row) => [row.id, { code: row.data['1'], count: row.data['2'] }]));
        };
        // The last edits may not be projected yet.
        await expect.poll(readRows, { timeout: 60_000, interval: 50 }).toEqual(acknowledged);
        expect(bodyOf(await send('GET', '/api/audit-logs/verify', undefined))).toMatchObject({ intact: true });
        await rebuildAndCompare(db);
        expect(await readRows()).toEqual(acknowledged);
        const summary = `${commands} commands, ${acknowledged.size} rows, ${kills} kills of ${parts.join(', ')}`;
        const wait = (client.longestWaitMs / 1_000).toFixed(1);
        console.info(`${summary}: 0 lost, 0 doubled, rebuild equal; the longest wait of a client was ${wait} s`);
      } finally {
        await db.end();
      }
    });

    it('have one effect and one answer if they are sent ten times with one key', async () => {
      const dataSetId = await newDataSet();
      const path = `/api/reference-data/${dataSetId}/instances`;
      const key = randomUUID();
      const sendOnce = () => send('POST', path, { data: { code: 'once', count: 0 } }, key);
      const first = Array.from({ length: 5 }, sendOnce);
      stack.parts['command-api']?.kill9();
      const answers = await Promise.all(first);
      await stack.parts['command-api']?.restart();
      answers.push(...(await Promise.all(Array.from({ length: 5 }, sendOnce))));
      expect(answers.map((answer) => answer.status)).toEqual(Array(10).fill(201));
      expect(new Set(answers.map((answer) => answer.text)).size).toBe(1);
      expect((await send('POST', path, { data: { code: 'once', count: 0 } })).text).toContain('DUPLICATE_KEY');
    });
  },
);

/** Rebuilds each projection beside its serving build and compares the checksums of both. */
async function rebuildAndCompare(db: pg.Client): Promise<void> {
  const { serviceSecret } = JSON.parse(readFileSync(join(stack.dataDir, 'secrets.json'), 'utf8'));
  const rebuild = async (projection: (typeof projections)[number]) => {
    const servingSchema = async () =>
      (await db.query('SELECT schema_name FROM platform.builds WHERE name = $1 AND serving', [projection.name])).rows[0]
        .schema_name as string;
    const before = await servingSchema();
    const incremental = await checksums(db, before, projection);
    const statuses: number[] = [];
    // Only the leading projector rebuilds.
    for (const address of stack.addresses.projector) {
      const path = `${address}/internal/projections/${projection.name}/rebuild`;
      const headers = { 'X-Service-Secret': serviceSecret };
      statuses.push((await fetch(path, { method: 'POST', headers })).status);
    }
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    const after = await eventually(async () => {
      const current = await servingSchema();
      return current === before ? undefined : current;
    });
    expect({ [projection.name]: await checksums(db, after, projection) }).toEqual({ [projection.name]: incremental });
  };
  await Promise.all(projections.map(rebuild));
}

async function eventually<T>(read: () => Promise<T | undefined>): Promise<T> {
  for (const until = Date.now() + REBUILD_PATIENCE_MS; ; await pause(50)) {
    const answer = await read();
    if (answer !== undefined) return answer;
    if (Date.now() > until) throw new Error('The expected state was not reached in time');
  }
}
