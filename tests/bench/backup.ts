/**
 * Measures the speed and the memory of backups, and the latency of reads from the product during backups. The reference
 * for the speed is `tar c | gzip -1` of the same bytes.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { generateSigningKey } from '@rdm/platform';
import type { BackupRequest, MeasuredBackup } from './backup-process.ts';
import { createThrowingCaller, type LargeDataSet, openLargeDataSet } from './large-data-set.ts';
import { describeMachine, type Load, load, median } from './measure.ts';

const CONNECTIONS = 2;
/** The maximum factor by which the p99 of reads may rise during backups that pause after each piece of work. */
const LIMIT = { p99: 2 };
const MIB = 1024 * 1024;

/** The number of consecutive backups during which reads are measured: one backup would be too short. */
const BACKUPS = 4;
const PROCESS = fileURLToPath(new URL('backup-process.js', import.meta.url));

export async function measureBackups({ rows = 200_000, rounds = 3, seconds = 5 } = {}): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-backup-'));
  const large = await openLargeDataSet(rows);
  const children: ChildProcess[] = [];
  try {
    const signingKeyFile = join(directory, 'signing-key.pem');
    writeFileSync(signingKeyFile, generateSigningKey());
    const log = join(large.dataDir, 'event-store');
    const processArguments = [large.databaseUrl, large.eventStoreUrl, log, directory, signingKeyFile];
    const backUp = async (child: ChildProcess, request: BackupRequest): Promise<MeasuredBackup> => {
      child.send(request);
      return (await once(child, 'message'))[0] as MeasuredBackup;
    };
    const open = async () => {
      const child = fork(PROCESS, processArguments);
      children.push(child);
      await once(child, 'message');
      return child;
    };
    const child = await open();
    const [idle, during, unpaced]: [Load[], Load[], Load[]] = [[], [], []];
    const paced: MeasuredBackup[] = [];
    const backUpSeveral = async (pauseFactor: number, results: MeasuredBackup[] = []) => {
      for (let count = 0; count < BACKUPS; count += 1) results.push(await backUp(child, { pauseFactor }));
    };
    for (let round = 0; round < rounds; round += 1) {
      idle.push(await readsWhile(large, pause(seconds * 1_000)));
      during.push(await readsWhile(large, backUpSeveral(1, paced)));
      unpaced.push(await readsWhile(large, backUpSeveral(0)));
    }
    const plain: MeasuredBackup[] = [];
    const reference: number[] = [];
    let size = 0;
    for (let round = 0; round < rounds; round += 1) {
      const backup = await backUp(child, { pauseFactor: 0 });
      plain.push(backup);
      const compressed = referenceOf(directory, backup);
      reference.push(compressed.seconds);
      size = compressed.bytes;
    }
    const encrypted = await backUp(await open(), { pauseFactor: 0, passphrase: 'correct horse battery staple' });
    const speed = (values: number[]) => `${(size / MIB / median(values)).toFixed(0)} MiB/s`;
    const p99 = (loads: Load[]) => median(loads.map((each) => each.p99));
    const ratio = p99(during) / p99(idle);
    console.log(`### backup

${rows.toLocaleString('en')} rows, ${plain[0]?.events} events, ${(size / MIB).toFixed(0)} MiB of entries. Machine: ${describeMachine()}.

| case | seconds | speed | peak memory MiB | file MiB |
|---|---|---|---|---|
| backup without pauses | ${median(plain.map((each) => each.seconds)).toFixed(1)} | ${speed(plain.map((each) => each.seconds))} | ${Math.max(...plain.map((each) => each.residentMib))} | ${((plain[0]?.bytes ?? 0) / MIB).toFixed(1)} |
| backup with pauses, during reads | ${median(paced.map((each) => each.seconds)).toFixed(1)} | ${speed(paced.map((each) => each.seconds))} | ${Math.max(...paced.map((each) => each.residentMib))} | |
| backup, encrypted | ${encrypted.seconds.toFixed(1)} | ${speed([encrypted.seconds])} | ${encrypted.residentMib} | ${(encrypted.bytes / MIB).toFixed(1)} |
| tar c \\| gzip -1 | ${median(reference).toFixed(1)} | ${speed(reference)} | | |

Reads, ${CONNECTIONS} connections: p99 ${p99(idle).toFixed(1)} ms idle, ${p99(during).toFixed(1)} ms during a backup with pauses (${ratio.toFixed(2)}×, limit ${LIMIT.p99}×), ${p99(unpaced).toFixed(1)} ms during a backup without pauses.`);
    console.log(JSON.stringify({ bench: 'backup', size, plain, paced, encrypted, reference, idle, during, unpaced }));
    if (ratio > LIMIT.p99) process.exitCode = 1;
  } finally {
    for (const child of children) child.kill();
    await large.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the seconds that tar and gzip need for the entries of a backup, and the bytes of the entries. */
function referenceOf(directory: string, { fileName }: MeasuredBackup): { seconds: number; bytes: number } {
  const folder = join(directory, 'entries');
  mkdirSync(folder);
  execFileSync('tar', ['xzf', join(directory, fileName), '-C', folder]);
  const bytes = Number(execFileSync('du', ['-sb', '--apparent-size', folder], { encoding: 'utf8' }).split('\t')[0]);
  const begin = performance.now();
  execFileSync('sh', ['-c', `tar c -C "${folder}" . | gzip -1 > "${folder}.tar.gz" && sync "${folder}.tar.gz"`]);
  const seconds = (performance.now() - begin) / 1_000;
  rmSync(folder, { recursive: true });
  return { seconds, bytes };
}

const request = (large: LargeDataSet) => {
  const call = createThrowingCaller(large.baseUrl, large.headers, CONNECTIONS);
  return () => call(`/api/reference-data/${large.dataSetId}/instances?page=${1 + Math.floor(Math.random() * 1_000)}`);
};

const reads = (large: LargeDataSet, seconds: number) =>
  load({ inFlight: CONNECTIONS, seconds, request: request(large) });

/** Measures reads in intervals of one second until the work ends. Returns the medians of the intervals. */
async function readsWhile(large: LargeDataSet, work: Promise<unknown>): Promise<Load> {
  let isDone = false;
  const end = work.finally(() => {
    isDone = true;
  });
  const loads: Load[] = [];
  while (!isDone) loads.push(await reads(large, 1));
  await end;
  const medianOf = (figure: 'perSecond' | 'p50' | 'p99') => median(loads.map((each) => each[figure]));
  return { perSecond: medianOf('perSecond'), p50: medianOf('p50'), p99: medianOf('p99') };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await measureBackups();
