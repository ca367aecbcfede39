/**
 * Measures the latency of reads by key during searches by a very slow regular expression, compared with reads alone.
 */
import { loadavg } from 'node:os';
import { pathToFileURL } from 'node:url';
import { codeOf } from './data-sets.ts';
import { createCaller, createThrowingCaller, openLargeDataSet } from './large-data-set.ts';
import { type BenchResult, compare, describeMachine, type Load, load, median, toMarkdown } from './measure.ts';

const READERS = 8;
const SEARCHERS = 4;
/** The maximum factor by which the p99 of the readers may rise during searches. */
const LIMIT = 2;

interface RegexResult extends BenchResult {
  /** The p99 of the readers during searches, divided by their p99 without searches. */
  p99Ratio: number;
  /** The number of responses to searches by status; 429 for searches that were cancelled or refused. */
  answers: Record<number, number>;
}

export async function measureRegexes({ rows = 100_000, rounds = 5, seconds = 4 } = {}): Promise<RegexResult> {
  const large = await openLargeDataSet(rows);
  try {
    const instances = `/api/reference-data/${large.dataSetId}/instances`;
    const read = createThrowingCaller(large.baseUrl, large.headers, READERS);
    const search = createCaller(large.baseUrl, large.headers, SEARCHERS);
    const condition = { field: 'name', operator: 'regex', value: '^(.*)(.*)(.*)(.*)(.*)(.*)\\6\\5\\4\\3\\2\\1!?$' };
    const searchPath = `${instances}?filter=${encodeURIComponent(JSON.stringify({ conditions: [condition] }))}`;
    const answers: Record<number, number> = {};
    const measureReads = (): Promise<Load> =>
      load({
        inFlight: READERS,
        seconds,
        request: () => read(`${instances}?key=${codeOf(Math.floor(Math.random() * rows))}`),
      });
    const measureDuringSearches = async (): Promise<Load> => {
      let isMeasuring = true;
      const searches = Array.from({ length: SEARCHERS }, async () => {
        while (isMeasuring) {
          const status = await search(searchPath);
          answers[status] = (answers[status] ?? 0) + 1;
        }
      });
      const readLoad = await measureReads();
      isMeasuring = false;
      await Promise.all(searches);
      return readLoad;
    };
    const loadBefore = loadavg()[0] ?? Number.NaN;
    const compared = await compare(
      `${READERS} readers by key, ${SEARCHERS} searches`,
      rounds,
      measureDuringSearches,
      measureReads,
    );
    const p99 = (loads: readonly Load[]) => median(loads.map((each) => each.p99));
    return {
      bench: 'regexes',
      reference: `the same readers alone; load average before: ${loadBefore.toFixed(1)}`,
      machine: describeMachine(),
      rows: [compared],
      p99Ratio: p99(compared.product) / p99(compared.reference),
      answers,
    };
  } finally {
    await large.stop();
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick');
  const result = await measureRegexes(quick ? { rounds: 1, seconds: 2 } : {});
  const statuses = Object.entries(result.answers).map(([status, count]) => `${count} × ${status}`);
  console.log(
    `${toMarkdown(result)}\n\np99 ratio ${result.p99Ratio.toFixed(2)} (limit ${LIMIT}); searches answered ${statuses.join(', ')}.`,
  );
  console.log(JSON.stringify(result));
}
