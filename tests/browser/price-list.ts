/** A German price list with eight wrong cells, and helpers for its import in the wizard. */
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';

const PRODUCTS = 300;
/** Wrong cells by the number of the product: two columns, four cells each. */
export const WRONG_CELLS = new Map<number, { column: 'price' | 'since'; right: string }>([
  ...[10, 20, 30, 40].map((number) => [number, { column: 'since', right: '28.02.2025' }] as const),
  ...[50, 60, 70, 80].map((number) => [number, { column: 'price', right: '12,5' }] as const),
]);
export const codeOf = (number: number) => String(number).padStart(5, '0');

/** Cells of a product as a German spreadsheet shows them. */
export function cellsOf(number: number): string[] {
  const day = String((number % 28) + 1).padStart(2, '0');
  const wrong = WRONG_CELLS.get(number)?.column;
  return [
    codeOf(number),
    `Müller Öse ${number}`,
    wrong === 'price' ? 'auf Anfrage' : `1.${String(number).padStart(3, '0')},50`,
    wrong === 'since' ? '31.02.2025' : `${day}.03.2025`,
    number % 3 ? 'ja' : 'nein',
  ];
}

/** The tag prevents the wizard from proposing a data set of another test. */
export const headerOf = (tag: string) => [
  'Artikelnr',
  'Bezeichnung',
  `Preis ${tag}`,
  `Gültig ab ${tag}`,
  `Aktiv ${tag}`,
];
export const tagOf = (name: string) => name.slice(-8);
export const numbers = Array.from({ length: PRODUCTS }, (_, index) => index + 1);

/** The price list as a German Windows saves it: CSV with semicolons, in Latin-1. */
export const priceList = (name: string, tag = tagOf(name)) => ({
  ...{ name: `${name}.csv`, mimeType: 'text/csv' },
  buffer: Buffer.from([headerOf(tag), ...numbers.map(cellsOf)].map((cells) => cells.join(';')).join('\r\n'), 'latin1'),
});

export const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });
export const contentHeading = (page: Page) => heading(page, 'How is the file read?');
export const nextButton = (page: Page) => page.getByRole('button', { name: 'Next' });
export const startButton = (page: Page) => page.getByRole('button', { name: /^Import \d+ rows/ });
export const cellsDialog = (page: Page) => page.getByRole('dialog', { name: 'Edit cells' });

export const choose = (page: Page, file: { name: string; mimeType: string; buffer: Buffer }) =>
  page.locator('input[type="file"]').setInputFiles(file);

/** Types the right value into each wrong cell. Enter moves to the next cell, and saves after the last cell. */
export async function editCells(page: Page): Promise<void> {
  await expect(cellsDialog(page).getByRole('textbox').first()).toBeFocused();
  for (const { right } of WRONG_CELLS.values()) {
    await page.keyboard.type(right);
    await page.keyboard.press('Enter');
  }
  await expect(cellsDialog(page)).toHaveCount(0);
}
