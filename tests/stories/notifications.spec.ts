/** Notifications over HTTP and the live channel: recipients, read state and visibility. */
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { done, draft, newCollection, newCrosswalk, newDataSet, newType, rowsOf } from './fixtures.ts';
import { type Answer, type HttpClient, type Json, signInAs, uniqueName } from './http-client.ts';
import { openTab, type Tab } from './live-client.ts';
import { createSignedInUser, type SignedInUser } from './signed-in-user.ts';

const STEWARD = 2;
const APPROVER = 3;
const NOTIFICATIONS = '/api/notifications';

let admin: HttpClient;
let author: SignedInUser;
let colleague: SignedInUser;
let reviewer: SignedInUser;
let collectionId: number;
let source: number;
let target: number;
const tabs: Tab[] = [];

beforeAll(async () => {
  admin = await signInAs('admin');
  [author, colleague, reviewer] = await Promise.all([
    createSignedInUser(admin, STEWARD),
    createSignedInUser(admin, STEWARD),
    createSignedInUser(admin, APPROVER),
  ]);
  collectionId = await newCollection(author.person, newGrants());
  const typeId = await newType(author.person);
  source = await newDataSet(author.person, typeId, collectionId, [{ code: 'a' }, { code: 'b' }]);
  target = await newDataSet(author.person, typeId, collectionId, [{ code: 'a' }]);
});
afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close();
});

/** Returns grants for the reviewer and the colleague. An empty level means no grant. */
function newGrants(levels: { reviewer?: string; colleague?: string } = {}): Json[] {
  const { reviewer: reviewerLevel = 'APPROVER', colleague: colleagueLevel = 'ADMIN' } = levels;
  return [
    { entityType: 'user', entityId: reviewer.id, permissionLevel: reviewerLevel },
    { entityType: 'user', entityId: colleague.id, permissionLevel: colleagueLevel },
  ].filter(({ permissionLevel }) => permissionLevel !== '');
}

/** Waits until a user has `count` notifications about mappings of a crosswalk; returns them, newest first. */
async function waitForNotifications(person: HttpClient, crosswalkId: number, count: number): Promise<Json[]> {
  const notificationsIn = (body: Json) =>
    body.items.filter((item: Json) => item.kind === 'mapping' && item.parentId === crosswalkId);
  const { body } = await person.eventually(
    `${NOTIFICATIONS}?pageSize=500`,
    (answer) => notificationsIn(answer.body).length === count,
  );
  return notificationsIn(body);
}

interface DraftedCrosswalk {
  id: number;
  path: string;
  rows: Json[];
  review(person: HttpClient, verb: string, rows: Json[]): Promise<{ commandId: string; rows: Json[] }>;
}

/** Creates a crosswalk of the author with `count` drafts. */
async function createDrafts(count: number): Promise<DraftedCrosswalk> {
  const id = await newCrosswalk(author.person, source, target);
  const pairs = Array.from({ length: count }, (_, index): [string, string] => [`s${index}`, `t${index}`]);
  const path = `/api/crosswalks/${id}/mappings`;
  return {
    id,
    path,
    rows: await draft(author.person, id, pairs),
    async review(person, verb, rows) {
      const body = done(await person.post(`${path}/${verb}`, { rows, comment: `${verb}: because` }));
      // A read waits until the write is projected: all notifications of earlier writes then exist.
      done(await person.get(`${path}?pageSize=1`));
      return { commandId: body.commandId, rows: rowsOf(body) };
    },
  };
}

describe('a review request', () => {
  it('notifies each approver but the submitter once, and is marked as read when all items are decided', async () => {
    const work = await createDrafts(120);
    const { commandId, rows } = await work.review(author.person, 'submit', work.rows);
    const isComplete = (item: Json) => item.commandId === commandId && item.count === 120;
    await reviewer.person.eventually(`${NOTIFICATIONS}?pageSize=500`, ({ body }) => body.items.some(isComplete));
    const [notification] = await waitForNotifications(reviewer.person, work.id, 1);
    expect(notification).toMatchObject({
      reason: 'REVIEW',
      kind: 'mapping',
      count: 120,
      waiting: 120,
      title: null,
      userId: author.id,
      comment: 'submit: because',
      commandId,
      read: false,
    });
    expect(notification.ids).toHaveLength(100);
    expect(await waitForNotifications(colleague.person, work.id, 1)).toMatchObject([{ reason: 'REVIEW' }]);
    expect(await waitForNotifications(author.person, work.id, 0)).toEqual([]);

    const decided = await work.review(reviewer.person, 'approve', rows.slice(0, 50));
    await reviewer.person.eventually(`${NOTIFICATIONS}?pageSize=500`, ({ body }) =>
      body.items.some((item: Json) => item.id === notification.id && item.waiting === 70 && !item.read),
    );
    await work.review(reviewer.person, 'reject', rows.slice(50));
    // No item is left to review, so the notification is marked as read.
    await colleague.person.eventually(`${NOTIFICATIONS}?pageSize=500`, ({ body }) =>
      body.items.some((item: Json) => item.id === notification.id && item.waiting === 0 && item.read),
    );
    // The notification is complete when all chunks of the decision have updated it.
    await author.person.eventually(`${NOTIFICATIONS}?pageSize=500`, ({ body }) =>
      body.items.some((item: Json) => item.reason === 'REJECTED' && item.count === 70),
    );
    const decisions = await waitForNotifications(author.person, work.id, 2);
    expect(decisions).toMatchObject([
      { reason: 'REJECTED', count: 70, userId: reviewer.id, comment: 'reject: because' },
      { reason: 'APPROVED', count: 50, userId: reviewer.id, comment: 'approve: because', commandId: decided.commandId },
    ]);
  });

  it('does not notify users who have only READ or cannot open the approvals page', async () => {
    const reader = await createSignedInUser(admin, APPROVER);
    const userWithoutRoute = await createSignedInUser(admin, 4);
    done(
      await author.person.put(`/api/collections/${collectionId}/permissions`, {
        permissions: [
          ...newGrants(),
          { entityType: 'user', entityId: reader.id, permissionLevel: 'READ' },
          { entityType: 'user', entityId: userWithoutRoute.id, permissionLevel: 'APPROVER' },
        ],
      }),
    );
    const work = await createDrafts(1);
    await work.review(author.person, 'submit', work.rows);
    await waitForNotifications(reviewer.person, work.id, 1);
    expect(await waitForNotifications(reader.person, work.id, 0)).toEqual([]);
    expect(await waitForNotifications(userWithoutRoute.person, work.id, 0)).toEqual([]);
  });

  it('is marked as read when its crosswalk is deleted', async () => {
    const { person } = author;
    const work = await createDrafts(1);
    await work.review(person, 'submit', work.rows);
    const [notification] = await waitForNotifications(reviewer.person, work.id, 1);
    expect(notification.waiting).toBe(1);
    const { revision } = done(await person.get(`/api/crosswalks/${work.id}`));
    const recalled = done(await person.post(`/api/crosswalks/${work.id}/recall`, {}, { ifMatch: revision }));
    done(await person.delete(`/api/crosswalks/${work.id}`, undefined, { ifMatch: recalled.revision }));
    await reviewer.person.eventually(`${NOTIFICATIONS}?pageSize=500`, ({ body }) =>
      body.items.some((item: Json) => item.id === notification.id && item.waiting === 0 && item.read),
    );
  });
});

describe('the user who submitted changes', () => {
  it('is notified of approvals, undos and revocations by another user', async () => {
    const work = await createDrafts(1);
    const submitted = await work.review(author.person, 'submit', work.rows);
    const { commandId, rows } = await work.review(reviewer.person, 'approve', submitted.rows);
    expect(rows).toHaveLength(1);
    expect(await waitForNotifications(author.person, work.id, 1)).toMatchObject([
      {
        reason: 'APPROVED',
        title: 's0 → t0',
        count: 1,
        ids: [work.rows[0].id],
        status: 'APPROVED',
        userId: reviewer.id,
      },
    ]);
    done(await reviewer.person.post(`/api/batches/${commandId}/undo`, { comment: 'too soon' }));
    const [undone] = await waitForNotifications(author.person, work.id, 2);
    expect(undone).toMatchObject({ reason: 'UNDONE', comment: 'too soon', status: 'PENDING' });
    // After the undo the item is under review again, in the batch of its submission.
    const [notification] = await waitForNotifications(colleague.person, work.id, 1);
    expect(notification).toMatchObject({ reason: 'REVIEW', commandId: submitted.commandId, waiting: 1, read: false });

    const { items } = done(await reviewer.person.get(`${work.path}?pageSize=10`));
    const pending = items.map(({ id, revision }: Json) => ({ id, revision }));
    const approved = await work.review(reviewer.person, 'approve', pending);
    await work.review(reviewer.person, 'revoke', approved.rows);
    expect((await waitForNotifications(author.person, work.id, 4)).map(({ reason }) => reason)).toEqual([
      'REVOKED',
      'APPROVED',
      'UNDONE',
      'APPROVED',
    ]);
    expect(await waitForNotifications(reviewer.person, work.id, 1)).toMatchObject([{ reason: 'REVIEW' }]);
  });

  it('is notified of recalls and edits by other users, but not of their own edits', async () => {
    const work = await createDrafts(2);
    const submitted = await work.review(author.person, 'submit', work.rows);
    const recalled = await work.review(colleague.person, 'recall', submitted.rows);
    expect(await waitForNotifications(author.person, work.id, 1)).toMatchObject([
      { reason: 'RECALLED', count: 2, userId: colleague.id },
    ]);
    const resubmitted = await work.review(author.person, 'submit', recalled.rows);
    const rejected = await work.review(reviewer.person, 'reject', resubmitted.rows);
    const [first, second] = rejected.rows;
    done(await colleague.person.patch(work.path, { rows: [{ ...first, targetValue: 'theirs' }] }));
    done(await author.person.patch(work.path, { rows: [{ ...second, targetValue: 'mine' }] }));
    expect(await waitForNotifications(author.person, work.id, 3)).toMatchObject([
      { reason: 'CHANGED', count: 1, title: 's0 → theirs', userId: colleague.id, status: 'DRAFT' },
      { reason: 'REJECTED', count: 2 },
      { reason: 'RECALLED', count: 2 },
    ]);
  });

  it('sees the rejected value in the notification, not a later correction', async () => {
    const work = await createDrafts(1);
    const submitted = await work.review(author.person, 'submit', work.rows);
    const { rows } = await work.review(reviewer.person, 'reject', submitted.rows);
    done(await author.person.patch(work.path, { rows: [{ ...rows[0], targetValue: 'corrected' }] }));
    await author.person.eventually(work.path, ({ body }) => body.items[0].targetValue === 'corrected');
    expect(await waitForNotifications(author.person, work.id, 1)).toMatchObject([
      { reason: 'REJECTED', title: 's0 → t0', status: 'DRAFT' },
    ]);
  });

  it('is notified when another user supersedes or discards the draft', async () => {
    const work = await createDrafts(1);
    const { rows } = await work.review(author.person, 'submit', work.rows);
    const approved = await work.review(reviewer.person, 'approve', rows);
    const edit = async (person: HttpClient, from: Json[], targetValue: string) =>
      rowsOf(done(await person.patch(work.path, { rows: from.map((row) => ({ ...row, targetValue })) })));
    const ownDraft = await edit(author.person, approved.rows, 'mine');
    const otherDraft = await edit(colleague.person, ownDraft, 'theirs');
    expect(await waitForNotifications(author.person, work.id, 2)).toMatchObject([
      { reason: 'SUPERSEDED', userId: colleague.id, title: 's0 → theirs' },
      { reason: 'APPROVED' },
    ]);
    const discarded = await work.review(colleague.person, 'discard', otherDraft);
    await work.review(colleague.person, 'discard', await edit(author.person, discarded.rows, 'mine again'));
    expect(await waitForNotifications(author.person, work.id, 3)).toMatchObject([{ reason: 'DISCARDED' }, {}, {}]);
    // A user who discards their own draft is not notified.
    expect((await waitForNotifications(colleague.person, work.id, 1)).map(({ reason }) => reason)).toEqual(['REVIEW']);
  });

  it('sees notifications only while the items are readable', async () => {
    const work = await createDrafts(1);
    const submission = await work.review(author.person, 'submit', work.rows);
    await work.review(reviewer.person, 'approve', submission.rows);
    const otherCrosswalk = await newCrosswalk(author.person, source, target);
    const [row] = await draft(colleague.person, otherCrosswalk, [['x', 'y']]);
    const submitted = rowsOf(
      done(await colleague.person.post(`/api/crosswalks/${otherCrosswalk}/mappings/submit`, { rows: [row] })),
    );
    done(await reviewer.person.post(`/api/crosswalks/${otherCrosswalk}/mappings/approve`, { rows: submitted }));
    await waitForNotifications(colleague.person, otherCrosswalk, 1);
    await waitForNotifications(reviewer.person, otherCrosswalk, 1);
    const before = done(await colleague.person.get(NOTIFICATIONS));

    const path = `/api/collections/${collectionId}/permissions`;
    done(await author.person.put(path, { permissions: newGrants({ colleague: '', reviewer: 'READ' }) }));
    const { body } = await colleague.person.eventually(NOTIFICATIONS, (answer) => answer.body.total < before.total);
    expect(body).toMatchObject({ items: [], total: 0, unread: 0 });
    // A user with only READ no longer sees the review request.
    await waitForNotifications(reviewer.person, otherCrosswalk, 0);
    done(await author.person.put(path, { permissions: newGrants() }));
    // The new grant adds one notification.
    await colleague.person.eventually(NOTIFICATIONS, (answer) => answer.body.total === before.total + 1);
  });
});

describe('a job', () => {
  it('notifies only the user who started it about its end', async () => {
    const file = new FormData();
    file.append('dataSetId', String(source));
    file.append('file', new Blob(['code,name\nc,See\n']), 'codes.csv');
    const staged = done(await author.person.post('/api/imports', file));
    const { jobId } = done(
      await author.person.post(`/api/imports/${staged.id}/start`, { description: 'Codes of the year' }),
    );
    const { body } = await author.person.eventually(NOTIFICATIONS, (answer) =>
      answer.body.items.some((item: Json) => item.kind === 'job' && item.parentId === jobId),
    );
    expect(body.items.find((item: Json) => item.kind === 'job')).toMatchObject({
      reason: 'JOB_DONE',
      parentId: jobId,
      parentName: 'Codes of the year',
      status: 'DONE',
      read: false,
    });
    const others = done(await colleague.person.get(`${NOTIFICATIONS}?pageSize=500`)).items;
    expect(others.filter((item: Json) => item.kind === 'job')).toEqual([]);
  });
});

const itemsOf = (answer: Answer, kind: string): Json[] => done(answer).items.filter((item: Json) => item.kind === kind);

describe('a grant', () => {
  it('shows users and group members a notification of a new or higher level until their access ends', async () => {
    const [user, member] = await Promise.all([createSignedInUser(admin, STEWARD), createSignedInUser(admin, STEWARD)]);
    const { id: groupId } = done(await admin.post('/api/groups', { name: uniqueName('Group') }));
    done(await admin.put(`/api/groups/${groupId}/members`, { userIds: [member.id] }));
    const id = await newCollection(author.person);
    const { name } = done(await author.person.get(`/api/collections/${id}`));
    const grant = async (...grants: [entityType: string, entityId: number, permissionLevel: string][]) => {
      const permissions = grants.map(([entityType, entityId, permissionLevel]) => ({
        ...{ entityType, entityId, permissionLevel },
      }));
      done(await author.person.put(`/api/collections/${id}/permissions`, { permissions }));
      // A read waits until the write is projected: all notifications of earlier writes then exist.
      done(await author.person.get('/api/collections'));
    };
    const levelsOf = async (person: HttpClient) =>
      itemsOf(await person.get(NOTIFICATIONS), 'collection').map(
        ({ reason, kind, parentId, parentName, status, userId }: Json) => {
          expect({ reason, kind, parentId, parentName, userId }).toEqual({
            ...{ reason: 'GRANTED', kind: 'collection', parentId: id, parentName: name, userId: author.id },
          });
          return status;
        },
      );
    await grant(['user', user.id, 'READ'], ['group', groupId, 'READ']);
    expect(await levelsOf(user.person)).toEqual(['READ']);
    expect(await levelsOf(member.person)).toEqual(['READ']);
    await grant(['user', user.id, 'WRITE'], ['group', groupId, 'READ']);
    expect(await levelsOf(user.person)).toEqual(['WRITE', 'WRITE']);
    expect(await levelsOf(member.person)).toEqual(['READ']);
    await grant(['user', user.id, 'READ']);
    expect(await levelsOf(user.person)).toEqual(['READ', 'READ']);
    expect(await levelsOf(member.person)).toEqual([]);
    expect(itemsOf(await author.person.get(`${NOTIFICATIONS}?pageSize=500`), 'collection')).toEqual([]);
  });
});

describe('a membership in a group', () => {
  it('shows the new member a notification until the member leaves the group', async () => {
    const [first, second] = await Promise.all([createSignedInUser(admin, STEWARD), createSignedInUser(admin, STEWARD)]);
    const name = uniqueName('Group');
    const { id } = done(await admin.post('/api/groups', { name }));
    const change = async (...userIds: number[]) => {
      done(await admin.put(`/api/groups/${id}/members`, { userIds }));
      done(await admin.get('/api/groups'));
    };
    const groupsOf = async (person: HttpClient) =>
      itemsOf(await person.get(NOTIFICATIONS), 'group').map((item) => `${item.reason} ${item.parentName}`);
    await change(first.id);
    expect(await groupsOf(first.person)).toEqual([`GRANTED ${name}`]);
    await change(first.id, second.id);
    expect(await groupsOf(first.person)).toEqual([`GRANTED ${name}`]);
    expect(await groupsOf(second.person)).toEqual([`GRANTED ${name}`]);
    await change(second.id);
    expect(await groupsOf(first.person)).toEqual([]);
  });
});

describe('the read state of a user', () => {
  const readNotifications = async (person: HttpClient, query = '') =>
    done(await person.get(`${NOTIFICATIONS}?pageSize=500${query}`));

  it('changes only for the user who marks or dismisses notifications', async () => {
    const fresh = await createSignedInUser(admin, APPROVER);
    const oneDraft = await createDrafts(1);
    const other = await createDrafts(1);
    await oneDraft.review(author.person, 'submit', oneDraft.rows);
    await other.review(author.person, 'submit', other.rows);
    done(
      await author.person.put(`/api/collections/${collectionId}/permissions`, {
        permissions: [...newGrants(), { entityType: 'user', entityId: fresh.id, permissionLevel: 'APPROVER' }],
      }),
    );
    const { person } = fresh;
    const [notification] = await waitForNotifications(person, oneDraft.id, 1);
    await waitForNotifications(person, other.id, 1);
    const { unread } = await readNotifications(person);
    expect(unread).toBeGreaterThanOrEqual(2);
    const unreadOfColleague = (await readNotifications(colleague.person)).unread;

    expect((await person.post(NOTIFICATIONS, { ids: [notification.id], read: true })).status).toBe(204);
    expect((await person.post(NOTIFICATIONS, { ids: [notification.id], read: true })).status).toBe(204);
    expect((await readNotifications(person)).unread).toBe(unread - 1);
    expect((await readNotifications(person, '&unread=true')).items.map(({ id }: Json) => id)).not.toContain(
      notification.id,
    );
    expect((await readNotifications(colleague.person)).unread).toBe(unreadOfColleague);

    const newest = (await readNotifications(person)).items[0].id;
    done(await person.post(NOTIFICATIONS, { upTo: newest, read: true }));
    expect(await readNotifications(person)).toMatchObject({ unread: 0 });
    done(await person.post(NOTIFICATIONS, { ids: [notification.id], read: false }));
    expect(await readNotifications(person, '&unread=true')).toMatchObject({
      unread: 1,
      total: 1,
      items: [{ id: notification.id }],
    });

    expect((await person.delete(NOTIFICATIONS, { ids: [notification.id] })).status).toBe(204);
    const remaining = await readNotifications(person);
    expect(remaining.items.map(({ id }: Json) => id)).not.toContain(notification.id);
    expect(remaining.unread).toBe(0);
    done(await person.delete(NOTIFICATIONS, { upTo: newest }));
    expect(await readNotifications(person)).toMatchObject({ items: [], total: 0, unread: 0 });
    // Dismissing up to an id in the future does not dismiss later notifications.
    done(await person.delete(NOTIFICATIONS, { upTo: '999999999999999-0' }));
    const later = await createDrafts(1);
    await later.review(author.person, 'submit', later.rows);
    expect(await waitForNotifications(person, later.id, 1)).toMatchObject([{ read: false }]);
  });

  it.each([
    [{ read: true }],
    [{ read: true, ids: [] }],
    [{ read: true, ids: ['seven'] }],
    [{ read: false, upTo: '7-0' }],
    [{ ids: ['7-0'] }],
  ])('cannot be changed with the body %j', async (body) => {
    expect((await author.person.post(NOTIFICATIONS, body)).status).toBe(400);
  });
});

describe('the live channel', () => {
  async function openListener(person: HttpClient) {
    const tab = await openTab(person);
    tabs.push(tab);
    let received = 0;
    tab.socket.on('notified', () => {
      received += 1;
    });
    return {
      count: () => received,
      waitForMoreThan: async (count: number) => {
        await expect.poll(() => received, { timeout: 10_000 }).toBeGreaterThan(count);
      },
    };
  }

  it('announces notifications and changes of the read state only to the recipients', async () => {
    const [authorListener, reviewerListener, outsiderListener] = [
      await openListener(author.person),
      await openListener(reviewer.person),
      await openListener((await createSignedInUser(admin, APPROVER)).person),
    ];
    const work = await createDrafts(1);
    const { rows } = await work.review(author.person, 'submit', work.rows);
    await reviewerListener.waitForMoreThan(0);
    expect(authorListener.count()).toBe(0);
    await work.review(reviewer.person, 'approve', rows);
    await authorListener.waitForMoreThan(0);
    expect(outsiderListener.count()).toBe(0);
    const [approved] = await waitForNotifications(author.person, work.id, 1);
    const before = authorListener.count();
    done(await author.person.post(NOTIFICATIONS, { ids: [approved.id], read: true }));
    await authorListener.waitForMoreThan(before);
    expect(outsiderListener.count()).toBe(0);
  });
});
