/** Keyboard helpers of browser tests. */
import { expect, type Locator, type Page } from '@playwright/test';

/** Presses Tab, or Shift+Tab, until the element has the focus. */
export async function tabTo(page: Page, element: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  await expect(element).toBeVisible();
  for (let presses = 0; presses < 80; presses += 1) {
    if (await element.evaluate((node) => node === document.activeElement)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`Pressing ${key} 80 times did not focus the element`);
}
