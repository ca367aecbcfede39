/** Tests the audit logs: links of this and earlier versions, searches, details, verification and the signed head. */
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Route, Routes, useLocation } from 'react-router-dom';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type FakeServer, fakeServer, showPage, steward } from '../../../testing/page.tsx';
import { Transition } from '../components/columns.tsx';
import AuditLogs from './AuditLogs.tsx';

const NIGHTLY = { apiKeyId: 7, apiKeyName: 'Nightly' };
const REGISTERED = { action: 'UserRegistered', userId: null, username: null };
const NO_ROWS = { body: { items: [], page: 1, pageSize: 50, total: 0, position: '0' } };

const ACTIVITY = {
  ...{ id: 1, timestamp: '2026-01-01T00:00:00Z', line: 'Sam changed 2 rows', username: 'Sam', apiKeyName: null },
  ...{ verb: 'changed', subjectType: 'dataSet', subjectId: 1, subjectName: 'Products', statusAfter: null },
  ...{ rows: 2, created: 0, changed: 2, removed: 0, decided: 0, events: 1, comment: null, sourceType: 'UI' },
  ...{
    commandId: 'c',
    correlationId: 'c',
    jobId: null,
    facts: [],
    names: { users: {}, groups: {}, roles: {}, dataSets: {} },
  },
};

let server: FakeServer;
beforeEach(() => {
  server = fakeServer({
    'GET /api/audit-logs': NO_ROWS,
    'GET /api/audit-logs/activities': NO_ROWS,
    'GET /api/login-attempts': NO_ROWS,
    'GET /api/audit-logs/head': { body: { head: null } },
    'GET /api/saved-filters': { body: [] },
    'GET /api/filter-configurations': { body: [] },
  });
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const filter = encodeURIComponent('{"logic":"AND","conditions":[{"field":"seq","operator":"equals","value":3}]}');

it.each([
  ['/audit-logs', 'Activities', 'Activities'],
  ['/audit-logs?activity-q=00161', 'Activities', 'Activities'],
  ['/audit-logs?tab=events', 'Events', 'All'],
  ['/audit-logs?kind=user', 'Events', 'Users'],
  [`/audit-logs?filter=${filter}`, 'Events', 'All'],
  ['/audit-logs?q=Crosswalk', 'Activities', 'Activities'],
  ['/audit-logs?tab=events&q=Crosswalk', 'Events', 'All'],
  ['/audit-logs?kind=user&q=Crosswalk', 'Events', 'Users'],
  ['/audit-logs?tab=sign-ins', 'Sign-ins', 'Failed sign-ins'],
  ['/audit-logs?kind=user&part=failed-sign-ins', 'Sign-ins', 'Failed sign-ins'],
])('the link %s opens the tab %s and the list %s', async (at, tab, list) => {
  showPage(<AuditLogs />, { at, user: { ...steward, isAdmin: true } });
  expect(await screen.findByRole('grid', { name: list })).toBeTruthy();
  expect(screen.getByRole('tab', { name: tab }).getAttribute('aria-selected')).toBe('true');
});

it('a link with a search but no tab searches the activities', async () => {
  const { sent } = server;
  showPage(<AuditLogs />, { at: '/audit-logs?q=00161', user: { ...steward, isAdmin: true } });
  expect((await screen.findByRole<HTMLInputElement>('searchbox')).value).toBe('00161');
  await screen.findByText('Nothing matches');
  const lists = sent.filter(({ path }) => path === '/api/audit-logs' || path === '/api/audit-logs/activities');
  expect(lists.map(({ path, query }) => [path, query.get('q')])).toEqual([['/api/audit-logs/activities', '00161']]);
});

it('the tab Events offers the same search of the activities if no event matches', async () => {
  showPage(<AuditLogs />, { at: '/audit-logs?tab=events&q=00161', user: { ...steward, isAdmin: true } });
  expect(await screen.findByText(/This search reads the action, the summary, the comment and the reason/)).toBeTruthy();
  fireEvent.click(screen.getByRole('link', { name: 'Search the activities for “00161”' }));
  expect(await screen.findByRole('grid', { name: 'Activities' })).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('00161');
});

it.each([
  ['activity-q=00161', 'Events', 'All'],
  ['tab=events&q=00161', 'Activities', 'Activities'],
])('the search text of %s is kept when the user opens the tab %s', async (search, tab, list) => {
  showPage(<AuditLogs />, { at: `/audit-logs?${search}`, user: { ...steward, isAdmin: true } });
  await screen.findByRole('grid');
  fireEvent.mouseDown(screen.getByRole('tab', { name: tab }));
  expect(await screen.findByRole('grid', { name: list })).toBeTruthy();
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('00161');
});

it('an opened activity marks the row that the search matched', async () => {
  const row = { entityType: 'instances', entityId: 1, entityName: 'Products', label: null, status: null, changes: [] };
  const rows = ['00161', '00162'].map((key, id) => ({ ...row, id, key }));
  fakeServer({
    'GET /api/audit-logs/activities': { body: { ...NO_ROWS.body, items: [ACTIVITY], total: 1 } },
    'GET /api/audit-logs/activities/1/rows': { body: { ...NO_ROWS.body, items: rows, total: 2 } },
    'GET /api/audit-logs/head': { body: { head: null } },
    'GET /api/saved-filters': { body: [] },
    'GET /api/filter-configurations': { body: [] },
  });
  showPage(<AuditLogs />, { at: '/audit-logs?activity-q=00161', user: { ...steward, isAdmin: true } });
  fireEvent.click(await screen.findByRole('button', { name: /Sam/ }));
  expect((await screen.findByText('00161')).tagName).toBe('MARK');
  expect(screen.getByText('00162').tagName).toBe('SPAN');
});

const Search = () => <output>{useLocation().search}</output>;

it('the menu offers a replay only for an activity about one entity', async () => {
  const fact = {
    action: 'DataSetPublished',
    entityType: 'dataSet',
    entityId: 3,
    entityName: 'Units',
    rows: 0,
    data: {},
  };
  const published = { ...ACTIVITY, id: 2, line: 'Sam published Units', rows: 0, facts: [fact], row: null };
  const items = [published, { ...ACTIVITY, row: null }];
  server.on('GET /api/audit-logs/activities', { body: { ...NO_ROWS.body, items, total: 2 } });
  showPage(
    <Routes>
      <Route path="/audit-logs" element={<AuditLogs />} />
      <Route path="/audit-logs/replay" element={<Search />} />
    </Routes>,
    { at: '/audit-logs', user: { ...steward, isAdmin: true } },
  );
  const openMenu = async (row: number) =>
    fireEvent.keyDown(await screen.findByRole('button', { name: `Actions for row ${row}` }), { key: 'Enter' });
  await openMenu(2);
  expect(await screen.findByRole('menuitem', { name: 'Details' })).toBeTruthy();
  expect(screen.queryByRole('menuitem', { name: 'Replay' })).toBeNull();
  fireEvent.keyDown(screen.getByRole('menu'), { key: 'Escape' });
  await openMenu(1);
  fireEvent.click(await screen.findByRole('menuitem', { name: 'Replay' }));
  expect((await screen.findByRole('status')).textContent).toBe('?entity=data-set%3A3');
});

it.each([
  ['the display name of the user', 'Ada Approver', { userId: 3, username: 'ada', apiKeyName: null }],
  ['the API key with its creator', 'API key "Nightly" (Ada Approver)', { userId: 3, username: 'ada', ...NIGHTLY }],
  ['the user who signed up', 'Noor', { ...REGISTERED, sourceType: 'API' }],
  ['System for the registration of the first user', 'System', { ...REGISTERED, sourceType: 'SYSTEM' }],
])('the actor of an event is shown as %s', async (_, expected, actor) => {
  const entry = { seq: 7, timestamp: '2026-01-01T00:00:00Z', action: 'InstancesAdded', apiKeyId: null, purgeId: null };
  const about = {
    entityType: 'user',
    entityId: 9,
    entityName: 'noor',
    statusBefore: null,
    statusAfter: null,
    affectedRecordCount: 1,
  };
  const items = [{ ...entry, ...about, correlationId: null, ...actor }];
  fakeServer({
    'GET /api/audit-logs': { body: { ...NO_ROWS.body, items, total: 1 } },
    'GET /api/audit-logs/head': { body: { head: null } },
    'GET /api/saved-filters': { body: [] },
    'GET /api/filter-configurations': { body: [] },
    'GET /api/users/names': {
      body: [
        { id: 3, username: 'ada', displayName: 'Ada Approver' },
        { id: 9, username: 'noor', displayName: 'Noor' },
      ],
    },
  });
  showPage(<AuditLogs />, { at: '/audit-logs?tab=events', user: { ...steward, isAdmin: true } });
  const time = await screen.findByText(/^2026-01-01/);
  expect(screen.getByRole('columnheader', { name: /^Time/ }).textContent).toBe('Time');
  await waitFor(() => expect(time.closest('td')?.nextElementSibling?.textContent).toBe(expected));
});

it.each([
  [10, 'Undo of import 10: Codes', 'Undo completed', 'Undo of import 10: Codes'],
  [null, 'Approve 300 mappings', 'Job completed', 'Approve 300 mappings'],
])('the event of a job with undoes %s and the name “%s” has the label “%s”', async (undoes, name, action, entity) => {
  const item = {
    ...{ seq: 7, timestamp: '2026-01-01T00:00:00Z', action: 'BulkDecisionCompleted', apiKeyId: null, purgeId: null },
    ...{ entityType: 'bulkDecision', entityId: 11, entityName: name, statusBefore: null, statusAfter: null },
    ...{ affectedRecordCount: 1, correlationId: null, operationMetadata: { undoes }, changeSummary: '' },
  };
  server.on('GET /api/audit-logs', { body: { ...NO_ROWS.body, items: [item], total: 1 } });
  showPage(<AuditLogs />, { at: '/audit-logs?tab=events', user: { ...steward, isAdmin: true } });
  expect(await screen.findByText(action)).toBeTruthy();
  expect(screen.getByTitle(entity).textContent?.trim()).toBe(entity);
});

it.each([
  ['Bulk decision completed', 'Entry 7'],
  ['Bulk decision completed: 64 rows', 'Entry 7: 64 rows'],
])('the details of the event %s show each fact of its job once', async (changeSummary, description) => {
  const item = {
    ...{ seq: 7, timestamp: '2026-01-01T00:00:00Z', action: 'BulkDecisionCompleted', apiKeyId: null, purgeId: null },
    ...{ entityType: 'bulkDecision', entityId: 11, entityName: 'Approve 300 mappings', statusBefore: null },
    ...{ statusAfter: null, affectedRecordCount: 1, correlationId: null, operationMetadata: { undoes: null } },
    ...{ changeSummary, recordIds: null, stream: 'bulkDecision-11', severity: 'INFO', sourceType: 'UI' },
    ...{ submissionComment: null, rejectionReason: null, targetUserId: null, roleChange: null, groupChange: null },
    ...{ permissionChange: null, userId: null, username: null },
  };
  server.on('GET /api/audit-logs', { body: { ...NO_ROWS.body, items: [item], total: 1 } });
  showPage(<AuditLogs />, { at: '/audit-logs?tab=events', user: { ...steward, isAdmin: true } });
  fireEvent.doubleClick(await screen.findByText('Job completed'));
  const drawer = within(await screen.findByRole('dialog', { name: 'Job completed' }));
  expect(drawer.getByText(description)).toBeTruthy();
  expect(drawer.getByText('Approve 300 mappings')).toBeTruthy();
  expect(drawer.getByRole('link', { name: 'Job 11' })).toBeTruthy();
  expect(drawer.queryByText(/bulk decision/i)).toBeNull();
});

it('the status of a deleted row is shown in words', () => {
  showPage(<Transition before="APPROVED" after="DELETED" />);
  expect(screen.getByText('Deleted')).toBeTruthy();
});

it.each([
  ['no note if all rows were searched', true, 0],
  ['a note if not all rows could be searched', false, 1],
])('the search shows %s', async (_, complete, notes) => {
  fakeServer({
    'GET /api/audit-logs/activities': { body: { ...NO_ROWS.body, complete } },
    'GET /api/audit-logs/head': { body: { head: null } },
    'GET /api/saved-filters': { body: [] },
    'GET /api/filter-configurations': { body: [] },
  });
  showPage(<AuditLogs />, { at: '/audit-logs?activity-q=bronze', user: { ...steward, isAdmin: true } });
  await screen.findByText('Nothing matches');
  expect(screen.queryAllByText(/^Not all rows could be searched/)).toHaveLength(notes);
});

it('the tab Events stays selected when the user shows all kinds after a link with one kind', async () => {
  showPage(<AuditLogs />, { at: '/audit-logs?kind=user', user: { ...steward, isAdmin: true } });
  await screen.findByRole('grid', { name: 'Users' });
  fireEvent.mouseDown(screen.getByRole('tab', { name: 'All' }));
  expect(await screen.findByRole('grid', { name: 'All' })).toBeTruthy();
  expect(screen.getByRole('tab', { name: 'Events' }).getAttribute('aria-selected')).toBe('true');
});

it('the result of a verification is shown in words, then in one line until the user dismisses it', async () => {
  const summary = "Intact. 120,431 events; 3,120 known by digest only: purge 4, 2026-11-20, by admin: 'retention R7'.";
  fakeServer({
    'GET /api/audit-logs/activities': NO_ROWS,
    'GET /api/audit-logs/head': { body: { head: null } },
    'GET /api/saved-filters': { body: [] },
    'GET /api/filter-configurations': { body: [] },
    'GET /api/audit-logs/verify': {
      body: {
        intact: true,
        verified: 120_431,
        brokenAt: null,
        head: { seq: 120_431, chainHash: 'f' },
        purged: 3_120,
        purges: [],
        summary,
        notes: ['640 purged events are still stored until the next scavenge of the event store'],
      },
    },
  });
  showPage(<AuditLogs />, { at: '/audit-logs', user: { ...steward, isAdmin: true } });
  fireEvent.click(await screen.findByRole('button', { name: 'Verify chain' }));
  expect(await screen.findByText(summary)).toBeTruthy();
  expect(screen.queryByText(/entries verified/)).toBeNull();
  expect(
    screen.getByText('640 purged events are still stored until the next scavenge of the event store.'),
  ).toBeTruthy();
  fireEvent.click(within(screen.getByRole('dialog')).getByText('Close'));
  expect(
    (await screen.findByText(/^The chain is intact: 120,431 entries verified, last verified entry 120,431/))
      .textContent,
  ).toMatch(/\d{2}:\d{2}:\d{2}$/);
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss the result' }));
  expect(screen.queryByText(/entries verified/)).toBeNull();
});

it('the signed head is saved as a file', async () => {
  const head = { logId: 'l', seq: 7, chainHash: 'f', at: '2026-11-20T00:00:00Z', keyId: 'k', signature: 's' };
  fakeServer({
    'GET /api/audit-logs/activities': NO_ROWS,
    'GET /api/audit-logs/head': { body: { head: null } },
    'GET /api/saved-filters': { body: [] },
    'GET /api/filter-configurations': { body: [] },
    'GET /api/audit-logs/signed-head': { body: head },
  });
  const saved: Blob[] = [];
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    saved.push(blob as Blob);
    return 'blob:head';
  });
  vi.spyOn(URL, 'revokeObjectURL').mockImplementation(() => undefined);
  // Without this mock, the simulated browser would navigate to the download.
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  showPage(<AuditLogs />, { at: '/audit-logs', user: { ...steward, isAdmin: true } });
  fireEvent.click(await screen.findByRole('button', { name: 'Export signed chain head' }));
  await vi.waitFor(() => expect(saved).toHaveLength(1));
  expect(JSON.parse((await saved[0]?.text()) ?? '')).toEqual(head);
});
