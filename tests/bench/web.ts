/**
 * How the client feels with a million rows and with 200 columns, at 4× CPU throttling: how long frames take while it is
 * scrolled, and how long after a key, click or wheel the page shows it, beside a bare table of 100 rows; and how much a
 * browser has to fetch before anything shows.
 */
import { randomUUID } from 'node:crypto';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Browser, chromium, type Page } from '@playwright/test';
import { startStack } from '@rdm/embedded/stack';
import { CHROMIUM_ARGS, findChromium } from '../browser/chromium.ts';
import { type Caller, csvOf, FIELDS, signIn, uploadToReadable } from './data-sets.ts';
import { machine, quantile } from './measure.ts';

const PASSWORD = 'Bench-web-1';
const THROTTLE = 4;
const COLUMNS = 200;
/** Milliseconds and kilobytes that must not be exceeded. */
const BAR = { frameP95: 50, eventP98: 100, firstJs: 200, route: 60, css: 25, fonts: 100 };
const VIEWPORT = { width: 1440, height: 900 };
const ZOOMS = [0.5, 1, 2];
/** Keys that move: letters would be typed into the cell. */
const KEYS = [
  ...['ArrowDown', 'PageDown', 'ArrowUp', 'ArrowRight', 'PageUp', 'ArrowLeft', 'Shift+ArrowDown'],
  ...['Control+End', 'Control+Home'],
];

interface Felt {
  name: string;
  frames: number;
  frameP95: number;
  events: number;
  eventP98: number;
}

interface RouteWeight {
  name: string;
  /** Its own chunk, and with those that it shares with other routes. */
  own: number;
  whole: number;
}

export interface WebResult {
  bench: 'web';
  reference: string;
  machine: string;
  chromium: string;
  throttle: number;
  rows: number;
  columns: number;
  felt: Felt[];
  lastRow: { zoom: number; key: string }[];
  /** Kilobytes, compressed. */
  weight: { firstJs: number; css: number; fonts: number; routes: RouteWeight[] };
}

export async function web(options: { rows?: number; wideRows?: number; rounds?: number } = {}): Promise<WebResult> {
  const { rows = 1_000_000, wideRows = 10_000, rounds = 3 } = options;
  const directory = mkdtempSync(join(tmpdir(), 'rdm-bench-web-'));
  const stack = await startStack({ dataDir: join(directory, 'data'), adminPassword: PASSWORD });
  let browser: Browser | undefined;
  try {
    const person = await signIn(stack.baseUrl, PASSWORD);
    const long = await imported(person, directory, FIELDS, csvOf(rows), rows);
    const wide = await imported(person, directory, wideFields(), wideCsv(wideRows), wideRows);
    browser = await chromium.launch({ executablePath: await findChromium(), args: CHROMIUM_ARGS });
    const context = await browser.newContext({ viewport: VIEWPORT });
    await context.request.post(`${stack.baseUrl}/api/login`, {
      data: { username: 'admin', password: PASSWORD },
      headers: { Origin: stack.baseUrl },
    });
    const felt: Felt[] = [];
    const cases: [string, (page: Page) => Promise<void>][] = [
      [`${count(rows)} rows × ${FIELDS.length} columns`, (page) => opened(page, stack.baseUrl, long)],
      [`${count(wideRows)} rows × ${COLUMNS} columns`, (page) => opened(page, stack.baseUrl, wide)],
      ['reference: a bare table of 100 rows', (page) => page.setContent(bareTable())],
    ];
    const found = new Map<string, { frames: number[]; events: number[] }>();
    for (let round = 0; round < rounds; round++) {
      // There and back, so that what a machine does meanwhile falls on all alike.
      for (const [name, open] of [...cases, ...[...cases].reverse()]) {
        const page = await context.newPage();
        await open(page);
        const measured = await used(page);
        const all = found.get(name) ?? { frames: [], events: [] };
        found.set(name, {
          frames: [...all.frames, ...measured.frames],
          events: [...all.events, ...measured.events],
        });
        await page.close();
      }
    }
    for (const [name, { frames, events }] of found) {
      felt.push({
        name,
        frames: frames.length,
        frameP95: quantile(frames.sort(ascending), 0.95),
        events: events.length,
        eventP98: quantile(events.sort(ascending), 0.98),
      });
    }
    return {
      bench: 'web',
      reference: 'a bare table of 100 rows in the same browser, used alike',
      machine: machine(),
      chromium: browser.version(),
      throttle: THROTTLE,
      rows,
      columns: COLUMNS,
      felt,
      lastRow: await lastRows(context.newPage.bind(context), stack.baseUrl, long, rows),
      weight: weight(),
    };
  } finally {
    await browser?.close();
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

const ascending = (a: number, b: number): number => a - b;
const count = (rows: number): string => rows.toLocaleString('en');

type Field = readonly [name: string, dataType: string];

async function imported(
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
  return (await uploadToReadable(person, typeId, file, rows)).dataSetId;
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

async function opened(page: Page, baseUrl: string, dataSetId: number): Promise<void> {
  await page.goto(`${baseUrl}/reference-data/${dataSetId}`);
  await page.locator('[data-row="0"] [data-column]').first().waitFor();
}

/** What a page without any program of its own costs: the browser, the throttling, the measuring. */
function bareTable(): string {
  const line = (row: number) =>
    `<tr tabindex="-1" data-row="${row}">${FIELDS.map(([name]) => `<td>${name} of ${row}</td>`).join('')}</tr>`;
  return `<style>table{border-spacing:0;width:100%}td{height:32px;border-bottom:1px solid #ccc}</style>
    <div data-scrolls style="height:600px;overflow:auto"><table role="grid">${Array.from({ length: 100 }, (_, row) => line(row)).join('')}</table></div>`;
}

/** Scrolls by the wheel, by the thumb and by keys, clicks rows; answers how long frames and events took. */
async function used(page: Page): Promise<{ frames: number[]; events: number[] }> {
  const client = await page.context().newCDPSession(page);
  await client.send('Emulation.setCPUThrottlingRate', { rate: THROTTLE });
  await page.evaluate(watch);
  const grid = page.getByRole('grid');
  const scroller = page.locator('[data-scrolls]', { has: grid }).last();
  const box = await scroller.boundingBox();
  if (box === null) throw new Error('The list is not on screen');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);

  for (const [by, times] of [
    [120, 40],
    [600, 20],
    [-300, 10],
  ] as const) {
    for (let turn = 0; turn < times; turn++) {
      await page.mouse.wheel(0, by);
      await nextFrame(page);
    }
  }
  for (let turn = 0; turn < 15; turn++) {
    await page.mouse.wheel(turn < 10 ? 200 : -200, 0);
    await nextFrame(page);
  }
  for (const part of [0.1, 0.35, 0.6, 0.85, 0.5]) {
    await scroller.evaluate((element, to) => {
      element.scrollTop = (element.scrollHeight - element.clientHeight) * to;
    }, part);
    for (let turn = 0; turn < 5; turn++) await nextFrame(page);
  }
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  for (const key of KEYS) {
    for (let turn = 0; turn < 6; turn++) {
      await page.keyboard.press(key);
      await nextFrame(page);
    }
  }
  for (let turn = 0; turn < 12; turn++) {
    await page.mouse.click(box.x + box.width / 2, box.y + 60 + turn * 32);
    await nextFrame(page);
  }
  return await page.evaluate(collected);
}

const nextFrame = (page: Page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));

interface Watched {
  frames: number[];
  events: number[];
}

/** Runs in the page: frames in which something scrolls, and every key, click and wheel until the frame after it is painted. */
function watch(): void {
  const seen: Watched = { frames: [], events: [] };
  Object.assign(window, { benchWatched: seen });
  let scrolling = 0;
  let last = performance.now();
  const frame = (now: number) => {
    if (scrolling > 0) {
      seen.frames.push(now - last);
      scrolling -= 1;
    }
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  document.addEventListener(
    'scroll',
    () => {
      scrolling = 3;
    },
    { capture: true, passive: true },
  );
  for (const type of ['keydown', 'pointerdown', 'click', 'wheel']) {
    window.addEventListener(
      type,
      (event) => {
        const begin = event.timeStamp;
        // A message posted from a frame is read once that frame has been handed over.
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => {
            seen.events.push(performance.now() - begin);
            channel.port1.close();
          };
          channel.port2.postMessage(undefined);
        });
      },
      { capture: true, passive: true },
    );
  }
}

const collected = (): Watched => (window as unknown as { benchWatched: Watched }).benchWatched;

/** Ctrl+End goes to the very last row, however the page is zoomed; what the server calls last says which that is. */
async function lastRows(
  newPage: () => Promise<Page>,
  baseUrl: string,
  dataSetId: number,
  rows: number,
): Promise<WebResult['lastRow']> {
  const found: WebResult['lastRow'] = [];
  for (const zoom of ZOOMS) {
    const page = await newPage();
    await page.addInitScript((to) => localStorage.setItem('zoom', String(to)), zoom);
    await opened(page, baseUrl, dataSetId);
    const answered = page.waitForResponse((response) => {
      const { pathname, searchParams } = new URL(response.url());
      return pathname.endsWith('/instances') && searchParams.get('page') === String(Math.ceil(rows / 50));
    });
    await page.keyboard.press('j');
    await page.keyboard.press('Control+End');
    const { items } = (await (await answered).json()) as { items: { key: string }[] };
    const expected = items.at(-1)?.key;
    const cell = page.locator(`[data-row="${rows - 1}"] [data-column]`).first();
    await cell.getByText(/\S/).first().waitFor();
    const key = await cell.textContent();
    const seen = await cell.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit !== null && element.contains(hit);
    });
    if (key !== expected || !seen)
      throw new Error(`At zoom ${zoom} the last row is ${key}, ${seen ? '' : 'not '}in sight`);
    found.push({ zoom, key: key ?? '' });
    await page.close();
  }
  return found;
}

/** What the build in `web/dist` makes a browser fetch: before anything shows, and for each route on top of it. */
function weight(): WebResult['weight'] {
  const dist = fileURLToPath(new URL('../../../web/dist/', import.meta.url));
  const assets = join(dist, 'assets');
  const sizes = new Map<string, number>();
  const sizeOf = (file: string): number => {
    const known = sizes.get(file);
    if (known !== undefined) return known;
    const bytes = readFileSync(join(assets, file));
    // Fonts come compressed as they are.
    const size = (file.endsWith('.woff2') ? bytes.length : gzipSync(bytes).length) / 1_000;
    sizes.set(file, size);
    return size;
  };
  const sum = (files: Iterable<string>) => [...files].reduce((all, file) => all + sizeOf(file), 0);
  const imports = (file: string): string[] =>
    [...readFileSync(join(assets, file), 'utf8').matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)].map(
      (match) => match[1] as string,
    );
  const closure = (files: readonly string[], all = new Set<string>()): Set<string> => {
    for (const file of files) {
      if (all.has(file)) continue;
      all.add(file);
      closure(imports(file), all);
    }
    return all;
  };
  const html = readFileSync(join(dist, 'index.html'), 'utf8');
  const first = closure([...html.matchAll(/assets\/([^"]+\.js)"/g)].map((match) => match[1] as string));
  const files = readdirSync(assets);
  const pages = [...first]
    .flatMap((file) => [...readFileSync(join(assets, file), 'utf8').matchAll(/import\(`?["']?\.\/([^"'`]+\.js)/g)])
    .map((match) => match[1] as string)
    .filter((file) => /^[A-Z]/.test(file));
  return {
    firstJs: sum(first),
    css: sum(files.filter((file) => file.endsWith('.css'))),
    fonts: sum(files.filter((file) => file.endsWith('.woff2'))),
    routes: [...new Set(pages)]
      .map((file) => ({
        // Without the build's mark of eight letters.
        name: file.slice(0, -'-12345678.js'.length),
        own: sizeOf(file),
        whole: sum([...closure([file])].filter((part) => !first.has(part))),
      }))
      .sort((a, b) => b.own - a.own),
  };
}

function table(found: WebResult): string {
  const line = (name: string, value: string, bar: string) => `| ${name} | ${value} | ${bar} |`;
  const [heaviest] = found.weight.routes;
  const whole = [...found.weight.routes].sort((a, b) => b.whole - a.whole)[0];
  return [
    '### web',
    '',
    `Reference: ${found.reference}. Machine: ${found.machine}. Chromium ${found.chromium} at ${found.throttle}× CPU throttling.`,
    '',
    '| case | scroll frame p95 ms | bar | event p98 ms | bar | frames | events |',
    '|---|---|---|---|---|---|---|',
    ...found.felt.map(
      (each) =>
        `| ${each.name} | ${each.frameP95.toFixed(1)} | ${BAR.frameP95} | ${each.eventP98.toFixed(1)} | ${BAR.eventP98} | ${each.frames} | ${each.events} |`,
    ),
    '',
    `Row ${count(found.rows)} is in sight after End at zoom ${found.lastRow.map(({ zoom }) => zoom).join(', ')}: ${found.lastRow[0]?.key}.`,
    '',
    '| compressed | kB | bar |',
    '|---|---|---|',
    line('first JS', found.weight.firstJs.toFixed(1), String(BAR.firstJs)),
    line(
      `heaviest route (${heaviest?.name}), its own chunk`,
      (heaviest?.own ?? Number.NaN).toFixed(1),
      String(BAR.route),
    ),
    line(`heaviest route (${whole?.name}), with the chunks it shares`, (whole?.whole ?? Number.NaN).toFixed(1), '–'),
    line('CSS', found.weight.css.toFixed(1), String(BAR.css)),
    line('fonts', found.weight.fonts.toFixed(1), String(BAR.fonts)),
  ].join('\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const quick = process.argv.includes('--quick');
  const result = await web(quick ? { rows: 250_000, wideRows: 1_000, rounds: 1 } : {});
  console.log(table(result));
  console.log(JSON.stringify(result));
}
