/** Tests the search of the help and the content of its pages. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { LEVEL_TEXTS, LEVELS } from '@rdm/contracts/access/permissions';
import { describe, expect, it } from 'vitest';
import { routes } from '../../app/features.ts';
import { helpFor, pages, searchHelp } from './search/lookup.ts';
import { parsePage, plainText } from './search/pages.ts';

describe('searchHelp', () => {
  // Questions of a new user, in words that the pages need not contain.
  it.each([
    ['how do i upload an excel file', 'import-a-list'],
    ['share a list with a teammate', 'give-access'],
    ['who edited this value', 'who-changed'],
    ['why can I not approve my own change', 'submit-for-approval'],
    ['revert an import', 'undo-a-change'],
    ['call the rest endpoint from a script', 'call-the-api'],
    ['forgot my password', 'sign-in'],
    ['translate a code from one system to another', 'translate-codes'],
    ['webhook', 'follow-changes'],
    ["You don't have permission to perform this action", 'errors'],
    ['hotkeys', 'shortcuts'],
    ['how did the list look last month', 'view-the-past'],
    ['remove a person (GDPR)', 'users'],
    ['leading zeros', 'import-a-list'],
    ['what does pending mean', 'statuses'],
    ['What does APPROVER mean', 'levels-and-roles'],
    ['print', 'export-data'],
    ['how do i print all rows', 'export-data'],
    ['save as pdf', 'export-data'],
    ['who approved', 'approve-changes#see-who-approved-what'],
    ['why is my mapping not served', 'translate-codes#why-a-mapping-is-not-served'],
    ['submit all drafts', 'submit-for-approval'],
    ['new user', 'users'],
    ['create an api key', 'api-keys'],
    ['umlauts', 'import-a-list'],
    ['duplicate key', 'import-a-list'],
    ['composite key', 'import-a-list'],
    ['type exists already', 'import-a-list'],
    ['delete a row', 'edit-rows#delete-rows'],
    ['delete a data set', 'data-sets#delete-a-data-set'],
    ['how do i delete a list', 'data-sets'],
    ['create a collection', 'collections#create-a-collection'],
    ['restore a deleted data set', 'data-sets#delete-a-data-set'],
    ['read rows curl', 'call-the-api'],
    ['leading zeros lost excel', 'import-a-list#codes-with-leading-zeros'],
    ['delete a crosswalk', 'crosswalks#delete-a-crosswalk'],
    ['delete type', 'reference-types#edit-or-delete-a-type'],
    ['delete a relationship', 'relationships#delete-a-relationship'],
    ['change the name of a code', 'edit-rows'],
    ['fix a typo in a row', 'edit-rows'],
    ['do rows need approval', 'edit-rows'],
    ['get the rows of my data set approved', 'submit-for-approval'],
    ['why is the approve button missing', 'submit-for-approval'],
    ['cannot approve', 'submit-for-approval#why-you-cannot-approve-it'],
    ['how do I stop an import', 'import-a-list'],
    ['who can see my list', 'give-access'],
    ['who can see my data', 'give-access'],
    ['how to rename a column', 'reference-types'],
    ['how to download everything', 'export-data'],
    ['email me when something is waiting for my approval', 'notifications'],
    ['excel turned my codes into numbers', 'import-a-list'],
    ['an employee left the company, what do i do with the account', 'users'],
    ['lock a user who left', 'users'],
    ['add an approver', 'give-access'],
    ['i approved the wrong one by mistake', 'undo-a-change'],
    ['delete a collection', 'collections#delete-a-collection'],
    ['save the list as excel file', 'export-data'],
    ['what may i do as a viewer', 'levels-and-roles'],
    ['an employee left, block his account', 'users'],
    ['wrong encoding of csv file', 'import-a-list'],
    ['umlauts are broken after import', 'import-a-list'],
    ['who may see a crosswalk', 'give-access'],
    ['i made a mistake, how do i get the old price back', 'undo-a-change'],
    ['how do i connect old codes to new codes', 'map-codes'],
    ['who is allowed to sign off my work', 'submit-for-approval'],
    ['my work was sent back, how to fix', 'submit-for-approval'],
    ['my change was refused what now', 'submit-for-approval'],
    ['how to make a password for a machine', 'api-keys'],
    ['someone left the company, take away access', 'users'],
    ['prove that nobody tampered with the log', 'audit-logs'],
    ['what did the list look like last month', 'view-the-past'],
    ['how to make a copy of everything nightly', 'database-backup'],
    ['get a code translated from my program', 'translate-codes'],
    ["why can't I approve this", 'submit-for-approval'],
    ['my submission was rejected what now', 'submit-for-approval'],
    ['I approved something by mistake', 'undo-a-change'],
    ["someone forgot their password and doesn't get a mail", 'sign-in'],
    ['match old codes with new codes automatically', 'map-codes'],
    ['my boss has to approve, how does he know', 'notifications'],
    ['let a team edit a list', 'give-access'],
    ['state at the end of last year', 'view-the-past'],
    ['swagger', 'api-reference'],
    ['my key does not work', 'call-the-api'],
    ['several people edit at the same time', 'lists'],
    ['where do I see all lists', 'data-sets'],
    ['show how data sets depend on each other', 'graph'],
    ['which translations fail', 'missing-mappings'],
    ['what can I do here', 'first-steps'],
    ['press which key to approve', 'shortcuts'],
    ['take away rights from somebody', 'give-access'],
    ['bring back a deleted row', 'edit-rows'],
    ['send again after rejection', 'submit-for-approval'],
    ['is everything running', 'diagnostics'],
    ['add one more code to the list', 'edit-rows'],
    ['change many values at once', 'edit-rows'],
    ['link one list to another list', 'relationships'],
    ['send my work for checking', 'submit-for-approval'],
    ['who has to check my changes', 'submit-for-approval'],
    ['approve everything at once', 'approve-changes'],
    ['say no to a change', 'approve-changes'],
    ['poll for new codes', 'follow-changes'],
    ['search for a code in all lists', 'find-a-code'],
    ['who is working on this right now', 'approve-changes'],
    ['message when my change is approved', 'notifications'],
    ['second person must check', 'submit-for-approval'],
    ['header is not in the first row', 'import-a-list'],
    ['one code maps to two codes', 'crosswalks'],
    ['what happens to rows that are not in my file', 'import-a-list'],
    ['log in with company account', 'sign-in'],
    ['which codes are still unmapped', 'missing-mappings'],
  ])('finds the answer to “%s” among the first three results', (query, page) => {
    expect(
      searchHelp(query)
        .slice(0, 3)
        .flatMap((found) => [found.page.id, `${found.page.id}#${found.section.id}`]),
    ).toContain(page);
  });

  it('finds a word that is typed incompletely, with a wrong letter, or with an accent', () => {
    for (const query of ['crossw', 'crosswolk', 'cróssWALK'])
      expect(searchHelp(query)[0]?.page.id, query).toBe('crosswalks');
  });

  it('finds nothing for words that no page contains, or for stop words alone', () => {
    expect(searchHelp('xylophone')).toEqual([]);
    expect(searchHelp('how do I')).toEqual([]);
  });
});

describe('the pages of the help', () => {
  it('explain the pages of the application', () => {
    const pathsWithoutHelp = ['/auth/callback', '/help', '/help/:page', '/documentation'];
    const paths = routes.map(({ path }) => path).filter((path) => !pathsWithoutHelp.includes(path));
    const missing = paths.filter((path) => helpFor(path.replace(/:\w+/g, '1')) === '/help');
    expect(missing).toEqual([]);
  });

  it('name only routes that exist', () => {
    const knownPaths = routes.map(({ path }) => path);
    expect(pages.flatMap((page) => page.routes).filter((route) => !knownPaths.includes(route))).toEqual([]);
  });

  it('link only to pages and sections that exist', () => {
    const documents = ['/api/openapi.json', '/api/asyncapi.json'];
    const addresses = pages.flatMap((page) => [
      `/help/${page.id}`,
      ...page.sections.map((section) => `/help/${page.id}#${section.id}`),
    ]);
    const links = pages
      .flatMap((page) => page.sections.map((section) => section.markdown))
      .flatMap((markdown) => [...markdown.matchAll(/(?<!!)\[[^\]]*\]\((\/[^)]*)\)/g)].map(([, target]) => target));
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((link) => ![...addresses, ...documents].includes(link ?? ''))).toEqual([]);
  });

  it('show only pictures that exist', () => {
    const pictures = pages
      .flatMap((page) => page.sections.map((section) => section.markdown))
      .flatMap((markdown) => [...markdown.matchAll(/!\[[^\]]+\]\((\/[^)]*)\)/g)].map(([, path]) => path ?? ''));
    expect(pictures.length).toBeGreaterThan(5);
    const folder = join(import.meta.dirname, '../../../public');
    expect(pictures.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  });

  it('explain each level with its text in LEVEL_TEXTS', () => {
    const section = pages
      .find(({ id }) => id === 'levels-and-roles')
      ?.sections.find(({ id }) => id === 'levels-on-a-data-set');
    for (const level of LEVELS) expect(section?.markdown).toContain(`| ${level} | ${LEVEL_TEXTS[level]} |`);
  });

  it('have unique section ids within a page', () => {
    for (const { id, sections } of pages)
      expect(new Set(sections.map((section) => section.id)).size, id).toBe(sections.length);
  });
});

describe('a page of the help', () => {
  it('is divided into sections at its headings', () => {
    const page = parsePage('x', '---\ntitle: X\ngroup: Start\norder: 1\n---\n\nIntro.\n\n## First part\n\nText.\n');
    expect(page.sections).toEqual([
      { id: '', heading: '', markdown: 'Intro.' },
      { id: 'first-part', heading: 'First part', markdown: 'Text.' },
    ]);
  });

  it('is rejected without front matter or with an unknown group', () => {
    expect(() => parsePage('x', 'Text.')).toThrow('x.md does not begin with front matter');
    expect(() => parsePage('x', '---\ntitle: X\ngroup: Other\norder: 1\n---\n')).toThrow();
  });

  it('has excerpts without Markdown syntax', () => {
    expect(plainText('1. **Open** the [list](/x).\n\n| a | b |\n|---|---|\n| `c` | d |')).toBe(
      'Open the list. a b c d',
    );
  });
});
