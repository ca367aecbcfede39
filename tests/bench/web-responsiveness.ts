/** Measures frames and events of a list on a slowed-down CPU, and checks that the list's last row can be reached. */
import type { Page } from '@playwright/test';
import { FIELDS } from './data-sets.ts';

/** The factor by which the CPU is slowed down. */
export const THROTTLE = 4;
const ZOOMS = [0.5, 1, 2];
/** Keys that move the selected cell or extend the selection. A letter would be typed into the cell. */
const KEYS = [
  ...['ArrowDown', 'PageDown', 'ArrowUp', 'ArrowRight', 'PageUp', 'ArrowLeft', 'Shift+ArrowDown'],
  ...['Control+End', 'Control+Home'],
];

export interface LastRow {
  zoom: number;
  key: string;
}

export async function openList(page: Page, baseUrl: string, dataSetId: number): Promise<void> {
  await page.goto(`${baseUrl}/reference-data/${dataSetId}`);
  await page.locator('[data-row="0"] [data-column]').first().waitFor();
}

/** Returns a page without scripts, to measure the cost of the browser, the throttling and the measurement itself. */
export function bareTable(): string {
  const line = (row: number) =>
    `<tr tabindex="-1" data-row="${row}">${FIELDS.map(([name]) => `<td>${name} of ${row}</td>`).join('')}</tr>`;
  return `<style>table{border-spacing:0;width:100%}td{height:32px;border-bottom:1px solid #ccc}</style>
    <div data-scrolls style="height:600px;overflow:auto"><table role="grid">${Array.from({ length: 100 }, (_, row) => line(row)).join('')}</table></div>`;
}

/** Scrolls by wheel, scrollbar and keys, and clicks rows; returns the durations of frames and events. */
export async function exerciseList(page: Page): Promise<Durations> {
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
      await waitForNextFrame(page);
    }
  }
  for (let turn = 0; turn < 15; turn++) {
    await page.mouse.wheel(turn < 10 ? 200 : -200, 0);
    await waitForNextFrame(page);
  }
  for (const part of [0.1, 0.35, 0.6, 0.85, 0.5]) {
    await scroller.evaluate((element, to) => {
      element.scrollTop = (element.scrollHeight - element.clientHeight) * to;
    }, part);
    for (let turn = 0; turn < 5; turn++) await waitForNextFrame(page);
  }
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  for (const key of KEYS) {
    for (let turn = 0; turn < 6; turn++) {
      await page.keyboard.press(key);
      await waitForNextFrame(page);
    }
  }
  for (let turn = 0; turn < 12; turn++) {
    await page.mouse.click(box.x + box.width / 2, box.y + 60 + turn * 32);
    await waitForNextFrame(page);
  }
  return await page.evaluate(readRecorded);
}

const waitForNextFrame = (page: Page) => page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));

export interface Durations {
  frames: number[];
  events: number[];
}

/**
 * Runs in the page: records the durations of up to three frames after each scroll event, and the time from each key,
 * pointer, click and wheel event until the next frame is submitted.
 */
function watch(): void {
  const durations: Durations = { frames: [], events: [] };
  Object.assign(window, { benchDurations: durations });
  let scrolling = 0;
  let last = performance.now();
  const recordFrame = (now: number) => {
    if (scrolling > 0) {
      durations.frames.push(now - last);
      scrolling -= 1;
    }
    last = now;
    requestAnimationFrame(recordFrame);
  };
  requestAnimationFrame(recordFrame);
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
        // A message that is posted from a frame arrives after the frame is submitted.
        requestAnimationFrame(() => {
          const channel = new MessageChannel();
          channel.port1.onmessage = () => {
            durations.events.push(performance.now() - begin);
            channel.port1.close();
          };
          channel.port2.postMessage(undefined);
        });
      },
      { capture: true, passive: true },
    );
  }
}

const readRecorded = (): Durations => (window as unknown as { benchDurations: Durations }).benchDurations;

/** Checks at several zoom levels that Ctrl+End goes to the last row: the last one in the response of the server. */
export async function findLastRows(
  newPage: () => Promise<Page>,
  baseUrl: string,
  dataSetId: number,
  rows: number,
): Promise<LastRow[]> {
  const lastRows: LastRow[] = [];
  for (const zoom of ZOOMS) {
    const page = await newPage();
    await page.addInitScript((to) => localStorage.setItem('zoom', String(to)), zoom);
    await openList(page, baseUrl, dataSetId);
    const responded = page.waitForResponse((response) => {
      const { pathname, searchParams } = new URL(response.url());
      return pathname.endsWith('/instances') && searchParams.get('page') === String(Math.ceil(rows / 50));
    });
    // Focuses the first row; no cell is selected yet.
    await page.keyboard.press('j');
    await page.keyboard.press('Control+End');
    const { items } = (await (await responded).json()) as { items: { key: string }[] };
    const expected = items.at(-1)?.key;
    const cell = page.locator(`[data-row="${rows - 1}"] [data-column]`).first();
    await cell.getByText(/\S/).first().waitFor();
    const key = await cell.textContent();
    const isVisible = await cell.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const hit = document.elementFromPoint(left + width / 2, top + height / 2);
      return hit !== null && element.contains(hit);
    });
    if (key !== expected || !isVisible)
      throw new Error(`At zoom ${zoom} the last row is ${key}, ${isVisible ? '' : 'not '}in sight`);
    lastRows.push({ zoom, key: key ?? '' });
    await page.close();
  }
  return lastRows;
}
