/** The API Keys page: an administrator creates, copies, uses, rotates and revokes a key. */
import type { Page } from '@playwright/test';
import { callApi, expect, test, uniqueName, visit } from './fixtures.ts';

test.use({ reusesPages: true });

const grid = (page: Page) => page.getByRole('grid', { name: 'API keys' });
const row = (page: Page, name: string) => grid(page).getByRole('row').filter({ hasText: name });

async function chooseAction(page: Page, name: string, action: string): Promise<void> {
  await row(page, name)
    .getByRole('button', { name: /^Actions for row/ })
    .click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** Returns the status of a request that authenticates with the secret of an API key. */
async function statusFor(baseUrl: string, secret: string): Promise<number> {
  return (await fetch(`${baseUrl}/api/reference-data`, { headers: { Authorization: `Bearer ${secret}` } })).status;
}

async function copySecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: /^The secret of/ });
  await dialog.getByRole('button', { name: 'Copy secret' }).click();
  await expect(dialog.getByRole('button', { name: 'Copy secret' })).toHaveText('Copied');
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  await dialog.getByRole('button', { name: 'Done' }).click();
  await expect(dialog).toBeHidden();
  return secret;
}

test('creates, copies, uses, rotates and revokes a key', async ({ openFor, baseUrl }) => {
  const page = await openFor('admin');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: baseUrl });
  const name = uniqueName('ERP');
  await page.goto('/');
  await page.getByRole('button', { name: 'Administration' }).click();
  await page.getByRole('navigation').getByRole('link', { name: 'API Keys' }).click();
  await page.getByRole('button', { name: 'Create API key' }).first().click();

  const form = page.getByRole('dialog', { name: 'Create an API key' });
  await form.getByRole('button', { name: 'Create API key' }).click();
  await expect(form.getByText('Name is required')).toBeVisible();
  await expect(form.getByText('Choose at least one collection')).toBeVisible();
  await form.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await form.getByRole('checkbox', { name: 'Write Geography' }).click();
  await expect(form.getByRole('checkbox', { name: 'Read Geography' })).toBeChecked();
  await expect(form.getByRole('checkbox', { name: 'Read Geography' })).toBeDisabled();
  await form.getByRole('checkbox', { name: 'Translate Finance' }).click();
  await form.getByRole('button', { name: 'Create API key' }).click();

  const secretDialog = page.getByRole('dialog', { name: `The secret of ${name}` });
  await expect(secretDialog.getByText('Copy the secret now: it is shown only once')).toBeVisible();
  const example = await secretDialog.getByRole('region', { name: 'Example' }).locator('pre').textContent();
  // A user who closes the dialog without copying the secret has to confirm.
  await page.keyboard.press('Escape');
  await expect(secretDialog.getByText('You have not copied the secret yet')).toBeVisible();
  const first = await copySecret(page);
  expect(first).toMatch(/^rdm_[\w-]{43}$/);
  expect(example).toBe(`curl -H "Authorization: Bearer ${first}" \\\n  "${baseUrl}/api/reference-data"`);

  await expect(row(page, name)).toContainText('Active');
  await expect(row(page, name)).toContainText(`${first.slice(0, 12)}…`);
  await expect(row(page, name)).toContainText('Finance translate · Geography write');
  await expect(row(page, name)).toContainText('in 3 months');
  await expect(page.locator('body')).not.toContainText(first);

  expect(await statusFor(baseUrl, first)).toBe(200);
  await chooseAction(page, name, 'Details');
  const details = page.getByRole('dialog', { name });
  await expect(details.getByRole('img', { name: '1 in total, 1 today (UTC)' })).toBeVisible();
  await page.keyboard.press('Escape');

  await chooseAction(page, name, 'Rotate');
  const rotation = page.getByRole('dialog', { name: `Rotate ${name}` });
  await expect(rotation.getByRole('combobox', { name: 'The previous secret works for' })).toHaveText('24 hours');
  await rotation.getByRole('button', { name: 'Rotate' }).click();
  await expect(secretDialog.getByText('The previous secret is valid for 24 more hours.')).toBeVisible();
  const second = await copySecret(page);
  expect(second).not.toBe(first);
  expect([await statusFor(baseUrl, first), await statusFor(baseUrl, second)]).toEqual([200, 200]);
  await expect(row(page, name)).toContainText(`${second.slice(0, 12)}…`);

  await chooseAction(page, name, 'Revoke');
  const confirmation = page.getByRole('alertdialog', { name: `Revoke ${name}?` });
  await expect(confirmation).toContainText('This cannot be undone.');
  await confirmation.getByRole('button', { name: 'Revoke' }).click();
  await expect(row(page, name)).toContainText('Revoked');
  expect([await statusFor(baseUrl, first), await statusFor(baseUrl, second)]).toEqual([401, 401]);
  await row(page, name)
    .getByRole('button', { name: /^Actions for row/ })
    .click();
  await expect(page.getByRole('menuitem', { name: 'Rotate' })).toBeDisabled();
});

test('shows expiring keys on the start page and the API Keys page', async ({ openFor }) => {
  const page = await openFor('admin');
  const [collection] = (await callApi<{ items: { id: number }[] }>(page, 'GET', '/api/collections')).items;
  const name = uniqueName('Nightly load');
  const expiresAt = new Date(Date.now() + 5 * 86_400_000).toISOString();
  const scopes = [{ collectionId: collection?.id, scope: 'read' }];
  await callApi(page, 'POST', '/api/api-keys', { name, scopes, expiresAt });
  await page.goto('/');
  await page.getByRole('link', { name: /API keys? expires? soon/ }).click();
  await expect(row(page, name)).toContainText('Expires soon');
  await visit(page, '/api-keys');
  await expect(page.getByText(/API keys? expires? within 14 days/)).toBeVisible();
  await page.getByRole('button', { name: /^Show the keys?$/ }).click();
  await expect(row(page, name)).toContainText('in 5 days');
});

test('hides the page from users who are not administrators', async ({ openFor }) => {
  const page = await openFor('steward');
  await page.goto('/api-keys');
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByRole('note')).toContainText('Your role cannot open /api-keys');
  await expect(page.getByRole('link', { name: 'API Keys' })).toHaveCount(0);
});

test('names the key in the audit log entry of a change', async ({ openFor, baseUrl }) => {
  const page = await openFor('admin');
  const { items } = await callApi<{ items: { id: number; name: string }[] }>(page, 'GET', '/api/collections');
  const collectionId = items.find(({ name }) => name === 'Geography')?.id;
  const name = uniqueName('Loader');
  const scopes = [{ collectionId, scope: 'write' }];
  const { key } = await callApi<{ key: string }>(page, 'POST', '/api/api-keys', { name, scopes });
  const list = `/api/reference-data?q=${encodeURIComponent('Countries, alpha-2')}`;
  const dataSet = (await callApi<{ items: { id: number }[] }>(page, 'GET', list)).items[0];
  const code = uniqueName('code');
  const added = await fetch(`${baseUrl}/api/reference-data/${dataSet?.id}/instances`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: JSON.stringify({ data: { code, name: 'A test country' } }),
  });
  expect(added.status, await added.text()).toBe(201);
  await page.goto(`/audit-logs?activity-q=${encodeURIComponent(code)}`);
  await expect(page.getByRole('row').filter({ hasText: `API key "${name}"` })).toContainText(`added ${code} to`);
  const apiKeyFilter = { logic: 'AND', conditions: [{ field: 'apiKeyName', operator: 'equals', value: name }] };
  await page.goto(`/audit-logs?filter=${encodeURIComponent(JSON.stringify(apiKeyFilter))}`);
  await expect(page.getByRole('row').filter({ hasText: `API key "${name}" (Administrator)` })).toContainText(
    'Instances added',
  );
});
