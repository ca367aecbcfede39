/** Takes a picture of a loaded page without transient elements: toasts, the zoom control and the caret. */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { waitUntilLoaded } from './pages.ts';

const JPEG_QUALITY = 55;
/** Hides the zoom control, which would only disappear after three seconds. */
const HIDING_STYLE = '[role="region"][aria-label="Zoom"], section[aria-label="Zoom"] { visibility: hidden; }';

/** The extension of the file name decides the format of the picture: PNG or JPEG. */
export async function takePicture(page: Page, file: string): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  await waitUntilLoaded(page);
  await expect(page.locator('[role="region"][aria-label^="Notifications"] li')).toHaveCount(0);
  await page.mouse.move(720, 2);
  const format = file.endsWith('.jpg') ? ({ type: 'jpeg', quality: JPEG_QUALITY } as const) : {};
  await page.screenshot({ path: file, animations: 'disabled', caret: 'hide', style: HIDING_STYLE, ...format });
}
