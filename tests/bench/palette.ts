/**
 * Measures searches of the command palette in a large data set and many small ones, compared with a lookup of one row
 * by its key.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { codeOf, newDataSet } from './data-sets.ts';
import { createThrowingCaller, type LargeDataSet, openLargeDataSet } from './large-data-set.ts';
import {
  type BenchResult,
  type Compared,
  compare,
  describeMachine,
  type Load,
  load,
  median,
  toMarkdown,
} from './measure.ts';

const CONNECTIONS = 16;
/** The maximum p95 of searches in milliseconds. */
const LIMIT_P95 = 200;

interface PaletteOptions {
  rows?: number;
  smallSets?: number;
  rowsPerSmallSet?: number;
  rounds?: number;
  seconds?: number;
}

/** Adds small data sets, whose rows are searched by entries (decision 71), and waits until the entries are written. */
async function addSmallSets({ person, typeId }: LargeDataSet, sets: number, rowsPerSet: number): Promise<void> {
  for (let set = 0; set < sets; set += 1) {
    const id = await newDataSet(person, typeId);
    const rows = Array.from({ length: rowsPerSet }, (_, row) => ({
      data: { code: `S${set}-${row}`, name: `Place ${row} of list ${set}` },
    }));
    await person.write(`/api/reference-data/${id}/instances`, { rows });
  }
  const last = `S${sets - 1}-${rowsPerSet - 1}`;
  for (;;) {
    const { codes, complete } = await person.read<{ codes: unknown[]; complete: boolean }>(`/api/search?q=${last}`);
    if (complete && codes.length > 0) return;
    await pause(200);
  }
}

const randomBelow = (count: number) => Math.floor(Math.random() * count);

function cases(rows: number, smallSets: number, rowsPerSet: number): { name: string; text: () => string }[] {
  return [
    { name: 'a code', text: () => codeOf(randomBelow(rows)) },
    { name: 'a code of a small data set', text: () => `s${randomBelow(smallSets)}-${randomBelow(rowsPerSet)}` },
    { name: 'the beginning of a code', text: () => codeOf(randomBelow(rows)).slice(0, 6).toLowerCase() },
    { name: 'one letter', text: () => 'c' },
    { name: 'a label', text: () => `name of ${randomBelow(rows)}` },
    { name: 'words of a label', text: () => `${randomBelow(rows)} name` },
    { name: 'a text that no row has', text: () => `q${randomBelow(rows)}x` },
  ];
}

export async function measureSearches({
  rows = 1_000_000,
  smallSets = 20,
  rowsPerSmallSet = 5_000,
  rounds = 3,
  seconds = 2,
}: PaletteOptions = {}): Promise<BenchResult & { incomplete: Record<string, number> }> {
  const large = await openLargeDataSet(rows);
  let referenceServer: ChildProcess | undefined;
  try {
    await addSmallSets(large, smallSets, rowsPerSmallSet);
    referenceServer = fork(fileURLToPath(new URL('read-reference.js', import.meta.url)), [
      large.databaseUrl,
      `${large.schema}.instances`,
      String(large.dataSetId),
    ]);
    const [port] = (await once(referenceServer, 'message')) as [number];
    const product = createThrowingCaller(large.baseUrl, large.headers, CONNECTIONS);
    const reference = createThrowingCaller(`http://127.0.0.1:${port}`, {}, CONNECTIONS);
    const compared: Compared[] = [];
    const incomplete: Record<string, number> = {};
    for (const { name, text } of cases(rows, smallSets, rowsPerSmallSet)) {
      const search = () => `/api/search?q=${encodeURIComponent(text())}`;
      const run = (request: () => Promise<void>) => () => load({ inFlight: CONNECTIONS, seconds, request });
      compared.push(
        await compare(
          name,
          rounds,
          run(() => product(search())),
          run(() => reference(`/by-key?key=${codeOf(randomBelow(rows))}`)),
        ),
      );
      incomplete[name] = await shareOfIncomplete(large, search);
    }
    return {
      bench: 'palette',
      reference: `Express and pg alone, one row of ${rows.toLocaleString('en')} by its key; ${CONNECTIONS} connections`,
      machine: describeMachine(),
      rows: compared,
      incomplete,
    };
  } finally {
    referenceServer?.disconnect();
    await large.stop();
  }
}

/** Starts a search every 5 ms; returns the share of the answers that are incomplete. */
async function shareOfIncomplete({ person }: LargeDataSet, search: () => string): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: 10 * CONNECTIONS }, async (_, number) => {
      await pause(5 * number);
      return person.read<{ complete: boolean }>(search());
    }),
  );
  return answers.filter(({ complete }) => !complete).length / answers.length;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick');
  const result = await measureSearches(
    quick ? { rows: 100_000, smallSets: 5, rowsPerSmallSet: 2_000, rounds: 1, seconds: 2 } : {},
  );
  const p95 = ({ product }: Compared) => median(product.map(({ p95: slow = Number.NaN }: Load) => slow));
  const p95s = result.rows.map((row) => `${row.name} ${p95(row).toFixed(1)} ms`).join(', ');
  const parts = Object.entries(result.incomplete).map(([name, share]) => `${name} ${(100 * share).toFixed(0)} %`);
  console.log(
    `${toMarkdown(result)}\n\np95 (limit ${LIMIT_P95} ms): ${p95s}.\nIncomplete answers: ${parts.join(', ')}.\n\n${JSON.stringify(result)}`,
  );
}
