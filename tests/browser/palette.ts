/** Opens the palette, and finds its selected option. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

export const selectedOption = (page: Page) => page.getByRole('option', { selected: true });

export async function openPalette(page: Page) {
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Search and commands' })).toBeFocused();
}
