/** Opens each page with a guard as an anonymous visitor and as a user without routes (specification §2, §4 and §6). */
import { guardOf, SITE_PATHS } from '@rdm/contracts/access/site-paths';
import { callApi, expect, signInByApi, test, uniqueName, visit } from './fixtures.ts';
import { createUser, FIRST_PASSWORD } from './test-users.ts';

test.use({ reusesPages: true });

/** The pages with a guard. The guards decide by the path alone, so the items of the paths need not exist. */
const guardedPages = SITE_PATHS.filter((path) => guardOf(path) !== 'public').map((path) => ({
  address: path.replace(/:\w+/, '1'),
  guard: guardOf(path),
}));

test('redirects anonymous visitors from all pages except public ones to the sign-in page', async ({ openFor }) => {
  const page = await openFor('anonymous');
  await page.goto('/reset-password');
  for (const { address } of guardedPages) {
    await visit(page, address);
    await expect(page, address).toHaveURL(/:\d+\/auth$/);
  }
});

test('redirects a user without routes to the start page, except on pages that every signed-in user may open', async ({
  openFor,
}) => {
  const admin = await openFor('admin');
  const { id: roleId } = await callApi(admin, 'POST', '/api/roles', { name: uniqueName('No routes'), routes: [] });
  const { username } = await createUser(admin, { roleId });
  const page = await openFor('anonymous');
  await signInByApi(page, username, FIRST_PASSWORD);
  await page.goto('/monitor');
  for (const { address, guard } of guardedPages) {
    await visit(page, address);
    await expect(page, address).toHaveURL(new RegExp(`:\\d+${guard === 'signed-in' ? address : '/'}$`));
  }
});
