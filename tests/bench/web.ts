/**
 * Measures the web app at 4× CPU throttling: frame durations while scrolling, and event delays. The lists have a
 * million rows or 200 columns; the reference is a bare table of 100 rows. Also checks that Ctrl+End goes to the last
 * row, and measures the sizes of scripts, styles and fonts.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from '@playwright/test';
import { startStack } from '@rdm/embedded/stack';
import { CHROMIUM_ARGS, findChromium } from '../browser/chromium.ts';
import { type Caller, csvOf, FIELDS, importAndWait, signIn } from './data-sets.ts';
import { describeMachine, quantile } from './measure.ts';
import { bareTable, exerciseList, findLastRows, type LastRow, openList, THROTTLE } from './web-responsiveness.ts';
import { measureWeight, type Weight } from './web-weight.ts';

const PASSWORD = 'Bench-web-1';
const COLUMNS = 200;
/** Limits: milliseconds for frames and events, kilobytes for files. */
const LIMIT = { frameP95: 50, eventP98: 100, firstJs: 200, route: 60, css: 25, fonts: 100 };
const VIEWPORT = { width: 1440, height: 900 };
interface MeasuredCase {
  name: string;
  frames: number;
  frameP95: number;
  events: number;
  eventP98: number;
}

export interface WebResult {
  bench: 'web';
  reference: string;
  machine: string;
  chromium: string;
  throttle: number;
  rows: number;
  columns: number;
  responsiveness: MeasuredCase[];
  lastRow: LastRow[];
  weight: Weight;
}

export async function measureWeb(
  options: { rows?: number; wideRows?: number; rounds?: number } = {},
): Promise<WebResult> {
  const { rows = 1_000_000, wideRows = 10_000, rounds = 3 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-web-'));
  const stack = await startStack({ dataDir: join(directory, 'data'), adminPassword: PASSWORD });
  let browser: Browser | undefined;
  try {
    const person = await signIn(stack.baseUrl, PASSWORD);
    const long = await importDataSet(person, directory, FIELDS, csvOf(rows), rows);
    const wide = await importDataSet(person, directory, wideFields(), wideCsv(wideRows), wideRows);
    browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS });
    const context = await browser.newContext({ viewport: VIEWPORT });
    await context.request.post(`${stack.baseUrl}/api/login`, {
      data: { username: 'admin', password: PASSWORD },
      headers: { Origin: stack.baseUrl },
    });
    const responsiveness: MeasuredCase[] = [];
    const cases: [string, (page: Page) => Promise<void>][] = [
      [`${formatCount(rows)} rows × ${FIELDS.length} columns`, (page) => openList(page, stack.baseUrl, long)],
      [`${formatCount(wideRows)} rows × ${COLUMNS} columns`, (page) => openList(page, stack.baseUrl, wide)],
      ['reference: a bare table of 100 rows', (page) => page.setContent(bareTable())],
    ];
    const durations = new Map<string, { frames: number[]; events: number[] }>();
    for (let round = 0; round < rounds; round++) {
      // Run the cases forwards and backwards, so that other load on the machine affects all of them equally.
      for (const [name, open] of [...cases, ...[...cases].reverse()]) {
        const page = await context.newPage();
        await open(page);
        const measured = await exerciseList(page);
        const previous = durations.get(name) ?? { frames: [], events: [] };
        durations.set(name, {
          frames: [...previous.frames, ...measured.frames],
          events: [...previous.events, ...measured.events],
        });
        await page.close();
      }
    }
    for (const [name, { frames, events }] of durations) {
      responsiveness.push({
        name,
        frames: frames.length,
        frameP95: quantile(frames.sort(ascending), 0.95),
        events: events.length,
        eventP98: quantile(events.sort(ascending), 0.98),
      });
    }
    return {
      bench: 'web',
      reference: 'a bare table of 100 rows in the same browser, used the same way',
      machine: describeMachine(),
      chromium: browser.version(),
      throttle: THROTTLE,
      rows,
      columns: COLUMNS,
      responsiveness,
      lastRow: await findLastRows(context.newPage.bind(context), stack.baseUrl, long, rows),
      weight: measureWeight(),
    };
  } finally {
    await browser?.close();
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const ascending = (a: number, b: number): number => a - b;
const formatCount = (rows: number): string => rows.toLocaleString('en');

type Field = readonly [name: string, dataType: string];

async function importDataSet(
  person: Caller,
  directory: string,
  fields: readonly Field[],
  csv: Iterable<string>,
  rows: number,
): Promise<number> {
  const schemas = fields.map(([name, dataType], index) => ({ name, dataType, isPrimaryKey: index === 0 }));
  const { id: typeId } = await person.write('/api/reference-types', { name: `Web ${randomUUID()}`, schemas });
  const file = join(directory, 'rows.csv');
  await pipeline(Readable.from(csv), createWriteStream(file));
  return (await importAndWait(person, typeId, file, rows)).dataSetId;
}

const wideFields = (): Field[] =>
  Array.from({ length: COLUMNS }, (_, column) => [column === 0 ? 'code' : `Column ${column + 1}`, 'string']);

function* wideCsv(rows: number): Generator<string> {
  yield `${wideFields()
    .map(([name]) => name)
    .join(',')}\n`;
  for (let row = 0; row < rows; row++) {
    const cells = Array.from({ length: COLUMNS - 1 }, (_, column) => `Value ${column + 2} of ${row}`);
    yield `W${String(row).padStart(6, '0')},${cells.join(',')}\n`;
  }
}

function table(result: WebResult): string {
  const line = (name: string, value: string, limit: string) => `| ${name} | ${value} | ${limit} |`;
  const [heaviest] = result.weight.routes;
  const whole = [...result.weight.routes].sort((a, b) => b.whole - a.whole)[0];
  return [
    '### web',
    '',
    `Reference: ${result.reference}. Machine: ${result.machine}. Chromium ${result.chromium} at ${result.throttle}× CPU throttling.`,
    '',
    '| case | scroll frame p95 ms | limit | event p98 ms | limit | frames | events |',
    '|---|---|---|---|---|---|---|',
    ...result.responsiveness.map(
      (each) =>
        `| ${each.name} | ${each.frameP95.toFixed(1)} | ${LIMIT.frameP95} | ${each.eventP98.toFixed(1)} | ${LIMIT.eventP98} | ${each.frames} | ${each.events} |`,
    ),
    '',
    `Row ${formatCount(result.rows)} is in sight after Ctrl+End at zoom ${result.lastRow.map(({ zoom }) => zoom).join(', ')}: ${result.lastRow[0]?.key}.`,
    '',
    '| compressed | kB | limit |',
    '|---|---|---|',
    line('first JS', result.weight.firstJs.toFixed(1), String(LIMIT.firstJs)),
    line(
      `heaviest route (${heaviest?.name}), its own chunk`,
      (heaviest?.own ?? Number.NaN).toFixed(1),
      String(LIMIT.route),
    ),
    line(`heaviest route (${whole?.name}), with the chunks it shares`, (whole?.whole ?? Number.NaN).toFixed(1), '–'),
    line('CSS', result.weight.css.toFixed(1), String(LIMIT.css)),
    line('fonts', result.weight.fonts.toFixed(1), String(LIMIT.fonts)),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick');
  const result = await measureWeb(quick ? { rows: 150_000, wideRows: 1_000, rounds: 1 } : {});
  console.log(table(result));
  console.log(JSON.stringify(result));
}
