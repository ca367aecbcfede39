/** Checks the dialogs, menus and previews of pages in both themes: no axe violation. */
import type { Page } from '@playwright/test';
import { expectAccessibleInBothThemes } from '../axe.ts';
import { expect, test, visit } from '../fixtures.ts';
import { createRelated, limitRows, RELATED, waitUntilLoaded } from '../pages.ts';

test.use({ reusesPages: true });
// The workers share the tests.
test.describe.configure({ mode: 'parallel' });

/** Pages to visit after a dialog: the router then mounts the next page again even if it has the same address. */
const NEUTRAL = { admin: '/documentation', anonymous: '/reset-password' };

/** Leaves the page of a test, and closes the document if a dialog is still open afterwards. */
async function closeOverlays(page: Page, username: 'admin' | 'anonymous'): Promise<void> {
  await page.keyboard.press('Escape');
  await visit(page, NEUTRAL[username]);
  await expect(page).toHaveURL(new RegExp(`${NEUTRAL[username]}$`));
  await waitUntilLoaded(page);
  if ((await page.locator('[role="dialog"], [role="alertdialog"], [role="menu"]').count()) > 0)
    await page.context().close();
}

test.beforeAll(({ openFor }) => createRelated(openFor));

interface OpenedState {
  what: string;
  at: string;
  open: (page: Page) => Promise<void>;
}

const DIALOGS: readonly OpenedState[] = [
  {
    what: 'the dialog that adds a type',
    at: '/reference-types?new=true',
    open: async (page) => {
      await page.getByRole('button', { name: 'Create Type' }).click();
      await expect(page.getByRole('dialog').getByRole('alert')).toBeVisible();
    },
  },
  {
    what: 'the impact analysis',
    at: '/reference-types?q=Country',
    open: async (page) => {
      await page.getByRole('button', { name: 'Edit' }).first().click();
      await expect(page.getByRole('dialog').getByRole('checkbox')).toBeVisible();
    },
  },
  {
    what: 'the schema drawer',
    at: '/reference-types?q=Country',
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
    what: 'the menu of a row',
    at: '/reference-types',
    open: async (page) => {
      await page
        .getByRole('button', { name: /^Actions for row/ })
        .first()
        .click();
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
  {
    what: 'the dialog of a relationship’s attribute',
    at: '/relationships/create',
    open: async (page) => {
      await page.getByRole('button', { name: 'Add attribute' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Add attribute' }).click();
      await expect(page.getByText('Attribute name is required')).toBeVisible();
    },
  },
  {
    what: 'the history of a relationship’s value',
    at: '/relationship-values?q=Vienna',
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: RELATED }).first().dblclick();
      await expect(page.getByRole('dialog').getByRole('list', { name: 'History' })).toBeVisible();
    },
  },
  {
    what: 'the dialog that adds a value to a relationship',
    at: '/relationships?q=Cities of these',
    open: async (page) => {
      await page.getByRole('link', { name: RELATED }).click();
      await page.getByRole('button', { name: 'Add value', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Add value' }).click();
      await expect(page.getByText('Choose a row').first()).toBeVisible();
    },
  },
  {
    what: 'the preview of an import of values',
    at: '/relationships?q=Cities of these',
    open: async (page) => {
      await page.getByRole('link', { name: RELATED }).click();
      await page.getByRole('button', { name: 'Import' }).click();
      await page.getByRole('dialog').getByRole('textbox', { name: 'Rows' }).fill('source,target,since\nGRZ,AT,soon');
      await page.getByRole('button', { name: 'Preview' }).click();
      await expect(page.getByRole('dialog').getByRole('status')).toContainText('of which 0 can be imported');
    },
  },
  {
    what: 'the dialog that creates an API key',
    at: '/api-keys',
    open: async (page) => {
      await page.getByRole('button', { name: 'Create API key' }).first().click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click();
      await expect(page.getByText('Choose at least one collection')).toBeVisible();
    },
  },
  {
    what: 'the secret of a new API key',
    at: '/api-keys?new=true',
    open: async (page) => {
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('An accessible key');
      await page.getByRole('checkbox', { name: 'Read Geography' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click();
      await expect(page.getByRole('dialog', { name: /^The secret of/ })).toBeVisible();
    },
  },
  {
    what: 'the command palette',
    at: '/',
    open: async (page) => {
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('option').first()).toBeVisible();
    },
  },
  {
    what: 'the list of shortcuts',
    at: '/',
    open: async (page) => {
      await page.keyboard.press('?');
      await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
    },
  },
  {
    what: 'the support dialog',
    at: '/',
    open: async (page) => {
      await page.getByRole('button', { name: 'Help' }).click();
      await page.getByRole('menuitem', { name: 'Get Support' }).click();
      await expect(page.getByRole('dialog', { name: 'Help and support' })).toBeVisible();
    },
  },
  {
    what: 'the password dialog',
    at: '/',
    open: async (page) => {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await page.getByRole('menuitem', { name: 'Change Password' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Change Password' }).click();
      await expect(page.getByText('Current password is required')).toBeVisible();
    },
  },
  {
    what: 'the account menu',
    at: '/',
    open: async (page) => {
      await page.getByRole('button', { name: /^Account of/ }).click();
      await expect(page.getByRole('menu')).toBeVisible();
    },
  },
  {
    what: 'the notifications',
    at: '/',
    open: async (page) => {
      await page.getByRole('button', { name: /^Notifications/ }).click();
      await expect(page.getByRole('dialog', { name: 'Notifications' }).getByRole('listitem').first()).toBeVisible();
    },
  },
  {
    what: 'the session’s warning',
    at: '/',
    open: async (page) => {
      await page.evaluate(() => localStorage.setItem('last-activity', String(Date.now() - 116 * 60_000)));
      await expect(page.getByRole('dialog', { name: 'Session Timeout' })).toBeVisible();
    },
  },
  {
    what: 'the registration',
    at: '/auth',
    open: async (page) => {
      await page.getByRole('link', { name: 'Create an account' }).click();
      await page.getByRole('button', { name: 'Register' }).click();
      await expect(page.getByText('Invalid email format')).toBeVisible();
    },
  },
  {
    what: 'the forgotten password',
    at: '/auth',
    open: async (page) => {
      await page.getByRole('link', { name: 'Forgot password?' }).click();
      await page.getByRole('button', { name: 'Send reset email' }).click();
      await expect(page.getByText('Invalid email format')).toBeVisible();
    },
  },
  {
    what: 'the dialog that invites a user',
    at: '/manage-users?new=true',
    open: async (page) => {
      await page.getByLabel('With a password that you give to them').check();
      await page.getByRole('button', { name: 'Create user' }).click();
      await expect(page.getByText('Username is required')).toBeVisible();
    },
  },
  {
    what: 'the details of a user',
    at: '/manage-users?q=steward',
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: 'steward@example.com' }).dblclick();
      await expect(page.getByRole('dialog').getByText('Open sessions')).toBeVisible();
    },
  },
  {
    what: 'the report before a user is erased',
    at: '/manage-users?q=steward',
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
    what: 'the dialog of a role',
    at: '/roles',
    open: async (page) => {
      await page.getByRole('row').filter({ hasText: 'Steward' }).first().dblclick();
      await expect(page.getByRole('dialog').getByRole('checkbox').first()).toBeVisible();
    },
  },
  {
    what: 'the preview of an import of mappings',
    at: '/crosswalks?q=alpha-2',
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
    what: 'the reverse of a crosswalk',
    at: '/crosswalks?q=alpha-2',
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
    what: 'the error dialog',
    at: '/auth',
    open: async (page) => {
      await page.route('**/api/login', (route) => route.fulfill({ status: 401, json: { error: 'Not you' } }));
      await page.getByLabel('Username').fill('somebody');
      await page.getByLabel('Password', { exact: true }).fill('something');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('alertdialog', { name: 'Login failed' })).toBeVisible();
    },
  },
];

for (const { what, at, open } of DIALOGS) {
  test(`has no violations in both themes: ${what}`, async ({ sharedPageFor }) => {
    const person = at === '/auth' ? 'anonymous' : 'admin';
    const page = await sharedPageFor(person);
    await limitRows(page);
    if (new URL(page.url()).pathname === at) await visit(page, NEUTRAL[person]);
    await visit(page, at);
    if (at.includes('new=true')) await expect(page.getByRole('dialog')).toBeVisible();
    else await waitUntilLoaded(page);
    await open(page);
    // A menu is outside of all landmarks, as is usual for menus; the content behind it is hidden.
    const disabled = (await page.getByRole('menu').count()) > 0 ? ['region'] : [];
    await expectAccessibleInBothThemes(page, what, { disabled });
    await page.unrouteAll();
    await closeOverlays(page, person);
  });
}
