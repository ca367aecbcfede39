/** Tests the approvals dashboard. */
import type { ApprovalView } from '@rdm/contracts/approvals/approvals';
import type { CurrentUser } from '@rdm/contracts/identity/identity';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fakeServer, type Reply, type Sent, showPage, steward } from '../../testing/page.tsx';
import { itemKey } from './api/approvals.ts';
import Approvals from './pages/Approvals.tsx';

const [STEWARD, APPROVER] = [2, 3];
const approver: CurrentUser = { ...steward, id: APPROVER, username: 'approver', routes: ['/approvals'] };

const item = (id: number, title: string, overrides: Partial<ApprovalView> = {}): ApprovalView => ({
  kind: 'crosswalk',
  id,
  parentId: id,
  parentName: title,
  parentGone: true,
  sourceDataSetId: 1,
  targetDataSetId: 2,
  revision: 2,
  status: 'PENDING',
  deletionRequested: false,
  title,
  before: null,
  after: { name: title },
  authors: [STEWARD],
  submittedBy: STEWARD,
  submittedAt: '2026-01-01T00:00:00.000Z',
  comment: null,
  batchId: `batch ${id}`,
  decidedBy: null,
  decidedAt: null,
  decisionComment: null,
  decisionId: null,
  undoneBy: null,
  undoneAt: null,
  impact: null,
  level: 'APPROVER',
  ...overrides,
});
const [first, second, itemOnLaterPage] = [item(1, 'Countries'), item(2, 'Currencies'), item(9, 'Units')] as const;

const page = (items: readonly unknown[]): Reply => ({
  body: { items, page: 1, pageSize: 50, total: items.length, position: '1' },
});

/** Pending items on the first page of the list, pending items on later pages, and decided items. */
let [listedItems, laterItems, decidedItems]: ApprovalView[][] = [];

function readItems({ query }: Sent): Reply {
  const filter = query.get('filter') ?? '';
  const tab = query.get('tab');
  if (query.has('group')) {
    const group = { key: 7, name: 'Geography', oldestSubmittedAt: first.submittedAt, field: 'collectionIds' };
    return page([{ ...group, count: filter.includes('Countries') ? 1 : 2 }]);
  }
  const ofTab =
    tab === 'review' ? [...(listedItems ?? []), ...(laterItems ?? [])] : tab === 'decided' ? (decidedItems ?? []) : [];
  const id = /"field":"id","operator":"equals","value":(\d+)/.exec(filter)?.[1];
  if (id !== undefined) return page(ofTab.filter((one) => one.id === Number(id)));
  return page(tab === 'review' ? (listedItems ?? []) : ofTab);
}

function decide({ body }: Sent): Reply {
  const { decision, items } = body as { decision: string; items: { id: number }[] };
  const isChosen = ({ id }: ApprovalView) => items.some((chosen) => chosen.id === id);
  const status = decision === 'approve' ? 'APPROVED' : 'REJECTED';
  const chosen = [...(listedItems ?? []), ...(laterItems ?? [])].filter(isChosen);
  const outcome = { decidedBy: APPROVER, decidedAt: '2026-01-02T00:00:00.000Z', decisionId: 'd' };
  decidedItems = chosen.map((one) => ({ ...one, status, ...outcome }));
  listedItems = listedItems?.filter((one) => !isChosen(one));
  laterItems = laterItems?.filter((one) => !isChosen(one));
  const results = chosen.map(({ kind, parentId, id }) => ({ kind, parentId, id, outcome: 'done', revision: 3 }));
  return { body: { commandId: 'd', position: '2', results } };
}

function show(at = '/approvals', answers: Parameters<typeof fakeServer>[0] = {}) {
  const server = fakeServer({
    'GET /api/approvals': readItems,
    'GET /api/approvals/statistics': {
      body: { waiting: 2, ownWaiting: 0, oldestSubmittedAt: null, decidedToday: 0, medianDecisionSeconds: null },
    },
    'GET /api/crosswalks': page([]),
    'GET /api/filters/saved': page([]),
    'POST /api/approvals/decide': decide,
    // No 5xx status, because the client would repeat the request during another test.
    'POST /api/approvals/impact': { status: 422 },
    ...Object.fromEntries([1, 2, 9].map((id) => [`GET /api/crosswalks/${id}/history`, page([])])),
    ...answers,
  });
  const shown = showPage(<Approvals />, { user: approver, at });
  return { server, ...shown };
}

it('the dashboard shows an earlier rejection and the user who undid it', async () => {
  const version = (seq: number, type: string, prevStatus: string, newStatus: string, userId: number) => ({
    ...{ seq, revision: seq, type, prevStatus, newStatus, userId, timestamp: '2026-01-01T00:00:00.000Z' },
    ...{ apiKeyId: null, apiKeyName: null },
  });
  const rejected = { ...version(2, 'CrosswalkRejected', 'PENDING', 'REJECTED', APPROVER), comment: 'Too broad' };
  const undone = version(3, 'CrosswalkUndone', 'REJECTED', 'PENDING', APPROVER);
  show('/approvals', {
    'GET /api/crosswalks/1/history': page([undone, rejected]),
    'GET /api/users/names': { body: [{ id: APPROVER, username: 'approver', displayName: 'Ada Approver' }] },
  });
  await expectShown('Countries');
  const alert = await screen.findByText('This item was rejected before');
  await waitFor(() => expect(alert.parentElement?.textContent).toContain('Too broad'));
  await waitFor(() => expect(alert.parentElement?.textContent).toContain('Ada Approver undid the rejection'));
});

const record = () => screen.getByRole('region', { name: 'Item' });
const comment = () => within(record()).getByLabelText('Comment') as HTMLTextAreaElement;
const heading = () => within(record()).queryByRole('heading', { level: 2 })?.textContent;
const expectShown = (title: string) => waitFor(() => expect(heading()).toContain(title));
const row = (title: string) => screen.getByText(title, { selector: '[data-row] span' }).closest('tr') as HTMLElement;
const focusRow = (title: string) => act(async () => row(title).focus());
const press = (key: string, shiftKey = false) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key, shiftKey });

beforeEach(() => {
  [listedItems, laterItems, decidedItems] = [[first, second], [], []];
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query.includes('>='),
    addEventListener: () => undefined,
  }));
});
afterEach(() => vi.unstubAllGlobals());

it('the dashboard restores the comment of an item, and sends the comment with the decision', async () => {
  const { server } = show();
  await expectShown('Countries');
  fireEvent.change(comment(), { target: { value: 'Wrong code' } });
  await focusRow('Currencies');
  await expectShown('Currencies');
  expect(comment().value).toBe('');
  await focusRow('Countries');
  await expectShown('Countries');
  expect(comment().value).toBe('Wrong code');
  press('a');
  await waitFor(() =>
    expect(server.sent.find(({ method }) => method === 'POST')?.body).toMatchObject({ comment: 'Wrong code' }),
  );
});

describe('the figures', () => {
  const figures = (waiting: number, ownWaiting: number, approvable: readonly object[]) => {
    const noDecisions = { oldestSubmittedAt: null, decidedToday: 0, medianDecisionSeconds: null };
    show('/approvals', {
      'GET /api/approvals/statistics': { body: { waiting, ownWaiting, ...noDecisions } },
      'GET /api/reference-data': ({ query }) => page(query.get('minLevel') === 'APPROVER' ? approvable : []),
    });
  };

  it('show 0 waiting items if the user is APPROVER of a data set', async () => {
    figures(0, 0, [{ id: 1 }]);
    await waitFor(() => expect(screen.getByText('Waiting for you').nextSibling?.textContent).toBe('0'));
  });

  it('count own submissions if no item waits for the user', async () => {
    figures(0, 3, [{ id: 1 }]);
    const label = await screen.findByText('Submitted by you, waiting for another user');
    expect(label.nextSibling?.textContent).toBe('3');
    expect(screen.queryByText('Waiting for you')).toBeNull();
    expect(screen.getByRole('tab', { name: 'To review' })).toBeTruthy();
  });

  it('omit the waiting items if the user is APPROVER of no data set', async () => {
    figures(0, 0, []);
    await waitFor(() => expect(screen.queryByText('Waiting for you')).toBeNull());
    expect(screen.getByText('Decided today, by all users')).toBeTruthy();
  });
});

describe('an item that a link opened', () => {
  beforeEach(() => {
    laterItems = [itemOnLaterPage];
  });
  const key = itemKey(itemOnLaterPage);

  it('stays displayed after its decision, with a button for the next item', async () => {
    show(`/approvals?item=${key}`);
    await expectShown('Units');
    fireEvent.click(within(record()).getByRole('button', { name: /^Approve/ }));
    expect(await within(record()).findByText('You decided on this item, as shown below.')).toBeTruthy();
    expect(heading()).toContain('Units');
    expect(within(record()).queryByRole('button', { name: /^Approve/ })).toBeNull();
    fireEvent.click(within(record()).getByRole('button', { name: 'Show the next item' }));
    await expectShown('Countries');
  });

  it('is not rendered anew when the URL changes to its full key', async () => {
    const removed: Node[] = [];
    const observer = new MutationObserver((changes) => {
      for (const { removedNodes } of changes) removed.push(...removedNodes);
    });
    observer.observe(document.body, { childList: true, subtree: true });
    show('/approvals?item=crosswalk-9-9');
    await waitFor(() => expect(window.location.search).toContain(key));
    await expectShown('Units');
    observer.disconnect();
    expect(removed.filter((node) => node instanceof Element && node.querySelector('textarea') !== null)).toEqual([]);
  });

  it('is scrolled into view in the list', async () => {
    const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
    show(`/approvals?item=${itemKey(second)}`);
    await expectShown('Currencies');
    await waitFor(() => expect(scrolled.mock.contexts).toContain(row('Currencies')));
  });
});

it('the record that has the focus stays displayed when another user decides its item', async () => {
  const { queries } = show();
  await expectShown('Countries');
  await act(async () => comment().focus());
  listedItems = [second];
  decidedItems = [{ ...first, status: 'APPROVED', decidedBy: 5, decidedAt: '2026-01-02T00:00:00.000Z' }];
  await act(() => queries.invalidateQueries());
  expect(await within(record()).findByText('No longer pending')).toBeTruthy();
  expect(heading()).toContain('Countries');
});

describe('a list with selected rows', () => {
  it('offers decisions only on all selected items', async () => {
    const { server } = show();
    await expectShown('Countries');
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
    await waitFor(() =>
      expect(record().textContent).toContain('2 items are selected. The buttons above the list decide on all of them.'),
    );
    expect(within(record()).queryByRole('button', { name: /^Approve/ })).toBeNull();
    press('a');
    expect(await screen.findByRole('dialog', { name: 'Approve 2 items?' })).toBeTruthy();
    expect(server.sent.filter(({ path }) => path === '/api/approvals/decide')).toEqual([]);
  });

  it('clears the selection when the user chooses to decide only on the displayed item', async () => {
    show();
    await expectShown('Countries');
    fireEvent.click(screen.getByRole('checkbox', { name: 'Select all rows on this page' }));
    fireEvent.click(await within(record()).findByRole('button', { name: 'Decide only on this item' }));
    expect(await within(record()).findByRole('button', { name: /^Approve/ })).toBeTruthy();
    expect(screen.queryByRole('region', { name: 'Selected rows' })).toBeNull();
  });
});

it('the queue counts only items that match the filter, and scrolls to the selected group', async () => {
  const scrolled = vi.spyOn(Element.prototype, 'scrollIntoView');
  const conditions = [{ field: 'title', operator: 'equals', value: 'Countries' }];
  show(`/approvals?group=7&filter=${encodeURIComponent(JSON.stringify({ logic: 'AND', conditions }))}`);
  const queue = await screen.findByRole('navigation', { name: 'Queue' });
  const group = await within(queue).findByRole('button', { name: /^Geography/ });
  expect(group.textContent).toMatch(/^Geography1/);
  expect(within(queue).getByRole('button', { name: /^All/ }).textContent).toBe('All1');
  expect(scrolled.mock.contexts).toContain(group);
});

it('letter keys have no effect after a click on a record that is loading', async () => {
  show();
  fireEvent.pointerDown(await waitFor(() => record().firstElementChild as Element));
  await expectShown('Countries');
  press('r');
  expect(screen.queryByRole('dialog')).toBeNull();
});
