/** Checks that dialogs, menus and previews have no axe violations in either theme. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from '../axe.ts';
import { expect, test, visit } from '../fixtures.ts';
import { createRelationshipOnce, limitRows, RELATIONSHIP_NAME, waitUntilLoaded } from '../pages.ts';

test.use({ reusesPages: true });
// The workers run the tests of this file in parallel.
test.describe.configure({ mode: 'parallel' });

/** Pages to visit between tests, so that the router mounts a page again if two tests have the same address. */
const NEUTRAL = { admin: '/documentation', anonymous: '/reset-password' };

/** Leaves the page of a test. If a dialog or menu stays open, closes the context: the next test opens another. */
async function closeOverlays(page: Page, username: 'admin' | 'anonymous'): Promise<void> {
  await page.keyboard.press('Escape');
  await visit(page, NEUTRAL[username]);
  await expect(page).toHaveURL(new RegExp(`${NEUTRAL[username]}$`));
  await waitUntilLoaded(page);
  if ((await page.locator('[role="dialog"], [role="alertdialog"], [role="menu"]').count()) > 0)
    await page.context().close();
}

test.beforeAll(({ openFor }) => createRelationshipOnce(openFor));

interface OpenedState {
  name: string;
  address: string;
  open: (page: Page) => Promise<void>;
}

const OPENED_STATES: readonly OpenedState[] = [
  {
    name: 'the dialog that adds a type',
    address: '/reference-types?new=true',
    open: async (page) => {
      await page.getByRole('button', { name: 'Create Type' }).click();
      await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
    },
  },
  {
    name: 'the impact analysis',
    address: '/reference-types?q=Country',
    open: async (page) => {
      await page.getByRole('button', { name: 'Edit' }).first().click();
      await expect(page.getByRole('dialog').getByRole('checkbox')).toBeVisible();
    },
  },
  {
    name: 'the schema drawer',
    address: '/reference-types?q=Country',
    open: async (page) => {
      await page
        .getByRole('button', { name: /^Actions for row/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Schema' }).click();
      await expect(page.getByLabel('Name of field 1')).toBeVisible();
    },
  },
  {
    name: 'the menu of a row',
    address: '/reference-types',
    open: async (page) => {
      await page
        .getByRole('button', { name: /^Actions for row/ })
        .first()
        .click();
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
  {
    name: 'the dialog for an attribute of a relationship',
    address: '/relationships/create',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add attribute' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Add attribute' }).click();
      await expect(page.getByText('Attribute name is required')).toBeVisible();
    },
  },
  {
    name: 'the history of a relationship value',
    address: '/relationship-values?q=Vienna',
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: RELATIONSHIP_NAME }).first().dblclick();
      await expect(page.getByRole('dialog').getByRole('list', { name: 'History' })).toBeVisible();
    },
  },
  {
    name: 'the dialog that adds a value to a relationship',
    address: '/relationships?q=Cities of these',
    open: async (page) => {
      await page.getByRole('link', { name: RELATIONSHIP_NAME }).click();
      await page.getByRole('button', { name: 'Add value', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Add value' }).click();
      await expect(page.getByText('Choose a row').first()).toBeVisible();
    },
  },
  {
    name: 'the preview of an import of values',
    address: '/relationships?q=Cities of these',
    open: async (page) => {
      await page.getByRole('link', { name: RELATIONSHIP_NAME }).click();
      await page.getByRole('button', { name: 'Import' }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'Rows' }).fill('source,target,since\nGRZ,AT,soon');
      await page.getByRole('button', { name: 'Preview' }).click();
      await expect(page.getByRole('dialog').getByRole('status')).toContainText('of which 0 can be imported');
    },
  },
  {
    name: 'the dialog that creates an API key',
    address: '/api-keys',
    open: async (page) => {
      await page.getByRole('button', { name: 'Create API key' }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click();
      await expect(page.getByText('Choose at least one collection')).toBeVisible();
    },
  },
  {
    name: 'the secret of a new API key',
    address: '/api-keys?new=true',
    open: async (page) => {
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('An accessible key');
      await page.getByRole('checkbox', { name: 'Read Geography' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click();
      await expect(page.getByRole('dialog', { name: /^The secret of/ })).toBeVisible();
    },
  },
  {
    name: 'the command palette',
    address: '/',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('option').first()).toBeVisible();
    },
  },
  {
    name: 'the list of shortcuts',
    address: '/',
    open: async (page) => {
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    },
  },
  {
    name: 'the support dialog',
    address: '/',
    open: async (page) => {
      await page.getByRole('button', { name: 'Help' }).click();
      await page.getByRole('menuitem', { name: 'Get Support' }).click();
      await expect(page.getByRole('dialog', { name: 'Help and support' })).toBeVisible();
    },
  },
  {
    name: 'the password dialog',
    address: '/',
    open: async (page) => {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Change Password' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Change Password' }).click();
      await expect(page.getByText('Current password is required')).toBeVisible();
    },
  },
  {
    name: 'the account menu',
    address: '/',
    open: async (page) => {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
  {
    name: 'the notifications',
    address: '/',
    open: async (page) => {
      await page.getByRole('button', { name: /^Notifications/ }).click();
      await expect(page.getByRole('dialog', { name: 'Notifications' }).getByRole('listitem').first()).toBeVisible();
    },
  },
  {
    name: 'the warning before the session ends',
    address: '/',
    open: async (page) => {
      await page.evaluate(() => localStorage.setItem('last-activity', String(Date.now() - 116 * 60_000)));
      await expect(page.getByRole('dialog', { name: 'Session Timeout' })).toBeVisible();
    },
  },
  {
    name: 'the registration form',
    address: '/auth',
    open: async (page) => {
      await page.getByRole('link', { name: 'Create an account' }).click();
      await page.getByRole('button', { name: 'Register' }).click();
      await expect(page.getByText('Invalid email format')).toBeVisible();
    },
  },
  {
    name: 'the form for a forgotten password',
    address: '/auth',
    open: async (page) => {
      await page.getByRole('link', { name: 'Forgot password?' }).click();
      await page.getByRole('button', { name: 'Send reset email' }).click();
      await expect(page.getByText('Invalid email format')).toBeVisible();
    },
  },
  {
    name: 'the dialog that invites a user',
    address: '/manage-users?new=true',
    open: async (page) => {
      await page.getByLabel('With a password that you give to the user').check();
      await page.getByRole('button', { name: 'Create user' }).click();
      await expect(page.getByText('Username is required')).toBeVisible();
    },
  },
  {
    name: 'the details of a user',
    address: '/manage-users?q=steward',
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: 'steward@example.com' }).dblclick();
      await expect(page.getByRole('dialog').getByText('Open sessions')).toBeVisible();
    },
  },
  {
    name: 'the report before a user is erased',
    address: '/manage-users?q=steward',
    open: async (page) => {
      await page
        .getByRole('button', { name: /^Actions for row/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Erase' }).click();
      await expect(page.getByLabel('Type steward to confirm')).toBeVisible();
    },
  },
  {
    name: 'the dialog of a role',
    address: '/roles',
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: 'Steward' }).first().dblclick();
      await expect(page.getByRole('dialog').getByRole('checkbox').first()).toBeVisible();
    },
  },
  {
    name: 'the preview of an import of mappings',
    address: '/crosswalks?q=alpha-2',
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: 'alpha-2' }).first().dblclick();
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page
        .getByRole('textbox', { name: 'Mappings' })
        .fill('sourceValue,targetValue,confidence\nXX,XXX,\nYY,,much\n');
      await page.getByRole('button', { name: 'Preview' }).click();
      await expect(page.getByRole('tab', { name: 'Invalid 1' })).toBeVisible();
    },
  },
  {
    name: 'the reverse of a crosswalk',
    address: '/crosswalks?q=alpha-2',
    open: async (page) => {
      await page
        .getByRole('button', { name: /^Actions for row/ })
        .first()
        .click();
      await page.getByRole('menuitem', { name: 'Reverse…' }).click();
      await expect(page.getByRole('button', { name: /^Reverse with \d/ })).toBeVisible();
    },
  },
  {
    name: 'the error dialog',
    address: '/auth',
    open: async (page) => {
      await page.route('**/api/login', (route) => route.fulfill({ status: 401, json: { error: 'Not you' } }));
      await page.getByLabel('Username').fill('somebody');
      await page.getByLabel('Password', { exact: true }).fill('something');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('alertdialog', { name: 'Login failed' })).toBeVisible();
    },
  },
];

for (const { name, address, open } of OPENED_STATES) {
  test(`has no violations in either theme: ${name}`, async ({ sharedPageFor }) => {
    const username = address === '/auth' ? 'anonymous' : 'admin';
    const page = await sharedPageFor(username);
    await limitRows(page);
    if (new URL(page.url()).pathname === address) await visit(page, NEUTRAL[username]);
    await visit(page, address);
    if (address.includes('new=true')) await expect(page.getByRole('dialog')).toBeVisible();
    else await waitUntilLoaded(page);
    await open(page);
    // The rule `region` requires landmarks around all content, but a menu is usually outside of all landmarks.
    const disabled = (await page.getByRole('menu').count()) > 0 ? ['region'] : [];
    await expectAccessibleInBothThemes(page, name, { disabled });
    await page.unrouteAll();
    await closeOverlays(page, username);
  });
}
