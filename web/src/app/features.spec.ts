/** Tests the pages and sidebar entries that the manifests of the features declare. */
import { guardOf, SITE_PATHS } from '@rdm/contracts/access/site-paths';
import { describe, expect, it } from 'vitest';
import { navEntries, routes } from './features.ts';

describe('the features', () => {
  it('declare exactly one page for each path of the site', () => {
    const declared = routes.map(({ path }) => path);
    expect(declared.toSorted(), 'list each path in contracts/src/access/site-paths.ts').toEqual(
      [...SITE_PATHS].toSorted(),
    );
  });

  it('declare exactly the public paths as public', () => {
    const declared = routes.filter(({ access }) => access === 'public').map(({ path }) => path);
    expect(declared.toSorted()).toEqual(SITE_PATHS.filter((path) => guardOf(path) === 'public').toSorted());
  });

  it('give no page a title that is a part of the product name', () => {
    // The browser tab shows the product name after the title, so such a title would appear twice.
    const titles = routes.map(({ title }) => title);
    expect(titles.filter((title) => 'Reference Data Management'.includes(title))).toEqual([]);
  });

  it('give each sidebar entry the title of its page', () => {
    const titleOf = (to: string) => routes.find(({ path }) => path === to)?.title;
    expect(navEntries.map(({ to }) => titleOf(to))).toEqual(navEntries.map(({ label }) => label));
  });

  it('list the sidebar entries in the order of the specification', () => {
    const entries = (section: string | undefined) =>
      navEntries.filter((entry) => entry.section === section).map(({ label }) => label);
    expect(entries(undefined)).toEqual([
      'Start',
      'Onboarding Wizard',
      'Reference Data Types',
      'Reference Data Collections',
      'Relationships',
      'Crosswalks',
      'Approvals Dashboard',
      'Monitor',
    ]);
    expect(entries('administration')).toEqual([
      'Manage Users',
      'Manage Roles',
      'Audit Logs',
      'API Keys',
      'API Testing',
      'Filter Testing',
      'Database Backup',
      'Purge Data',
    ]);
  });
});
