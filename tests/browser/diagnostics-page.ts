/** Opens the errors of the diagnostics page, and checks its report. */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { ADMIN_PASSWORD, SAMPLE_PASSWORD } from './stack.ts';

export const rows = (page: Page) => page.getByRole('grid', { name: 'Errors' }).getByRole('row');
export const clipboardOf = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

/** Sends a request as the user of the page that returns 503: it waits for a position that the log never reaches. */
export async function sendFailingRequest(page: Page, baseUrl: string): Promise<string> {
  const correlationId = randomUUID();
  const headers = { 'X-Min-Position': '9'.repeat(18), 'X-Correlation-Id': correlationId };
  const response = await page.request.get(`${baseUrl}/api/reference-types/999999999`, { headers });
  expect(response.status()).toBe(503);
  return correlationId;
}

/** Opens the Errors tab once it lists the error. */
export async function openErrors(page: Page, correlationId: string): Promise<void> {
  await expect
    .poll(async () => (await page.request.get(`/api/diagnostics/errors?q=${correlationId}`)).text())
    .toContain(correlationId);
  await page.goto(`/diagnostics?tab=errors&q=${correlationId}`);
  await expect(rows(page).filter({ hasText: 'GET /api/reference-types/:id' })).toHaveCount(1);
}

/** Returns the texts that no report may contain. */
function secretsOfStack(): string[] {
  const folder = process.env['STACK_FOLDER'];
  if (folder === undefined) return [ADMIN_PASSWORD, SAMPLE_PASSWORD];
  const { sessionSecret, serviceSecret } = JSON.parse(readFileSync(join(folder, 'secrets.json'), 'utf8'));
  const eventStorePassword = readFileSync(join(folder, 'event-store-password'), 'utf8').trim();
  return [ADMIN_PASSWORD, SAMPLE_PASSWORD, sessionSecret, serviceSecret, eventStorePassword, folder];
}

export function expectNoSecret(report: string): void {
  for (const secret of secretsOfStack()) expect(report).not.toContain(secret);
  expect(report).not.toMatch(/postgres(ql)?:\/\/|esdb(\+discover)?:\/\//);
}
