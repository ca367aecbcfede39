/** Tests the titles and links of notifications, and the panel, which also contains the notices of the tab. */
import type { NotificationView } from '@rdm/contracts/notifications/notifications';
import { describe, expect, it } from 'vitest';
import type { Notice } from '../../../components/toast/index.ts';
import { byDay, countUnreadNotices, type Entry, mergeEntries } from './notification-entries.ts';
import { linkOf, titleOf } from './notification-text.ts';

const notification = (more: Partial<NotificationView> = {}): NotificationView => ({
  id: '7-0',
  reason: 'APPROVED',
  kind: 'mapping',
  parentId: 3,
  parentName: 'Countries',
  count: 1,
  ids: [17],
  title: 'DE → DEU',
  waiting: 0,
  ofDeletion: false,
  userId: 5,
  comment: null,
  at: '2026-03-02T10:00:00.000Z',
  commandId: 'c1',
  status: 'APPROVED',
  read: false,
  ...more,
});
const many = { count: 120, ids: [17, 18], title: null, status: null };

describe('a notification', () => {
  it.each<[Partial<NotificationView>, string]>([
    [{}, 'Ada Approver approved the mapping DE → DEU of Countries'],
    [{ ...many, reason: 'REJECTED' }, 'Ada Approver rejected 120 mappings of Countries'],
    [{ reason: 'SUPERSEDED' }, 'DE → DEU superseded by another draft'],
    [{ kind: 'crosswalk', title: null, reason: 'REVOKED' }, 'Ada Approver revoked the crosswalk Countries'],
    [{ ofDeletion: true }, 'Ada Approver approved the deletion of the mapping DE → DEU of Countries'],
    [{ reason: 'REVIEW', waiting: 1 }, 'DE → DEU waits for your review'],
    [{ ...many, reason: 'REVIEW', waiting: 120 }, '120 mappings wait for your review'],
    [{ ...many, reason: 'REVIEW', waiting: 70 }, '70 of 120 mappings still wait for your review'],
    [{ ...many, reason: 'REVIEW' }, '120 mappings were reviewed'],
    [{ kind: 'crosswalk', title: null, reason: 'REVIEW', waiting: 1 }, 'Countries waits for your review'],
    [{ kind: 'job', title: null, ids: [], reason: 'JOB_FAILED', parentName: 'Codes of 2026' }, 'Codes of 2026 failed'],
    [
      { kind: 'collection', title: null, ids: [], reason: 'GRANTED', parentName: 'Finance', status: 'READ' },
      'Ada Approver gave you access to Finance: you have READ',
    ],
    [
      { kind: 'group', title: null, ids: [], reason: 'GRANTED', parentName: 'Pricing' },
      'Ada Approver added you to the group Pricing',
    ],
    [{ kind: 'backup', title: null, ids: [], reason: 'BACKUP_FAILED', parentName: '' }, 'A backup failed'],
    [
      { kind: 'purge', title: null, ids: [], reason: 'PURGE_REQUESTED', parentName: '', status: 'REQUESTED' },
      'A purge waits for your confirmation',
    ],
    [
      { kind: 'purge', title: null, ids: [], reason: 'PURGE_REQUESTED', parentName: '', status: 'DONE' },
      'A purge was requested',
    ],
  ])('with %j has the title “%s”', (more, title) => expect(titleOf(notification(more), 'Ada Approver')).toBe(title));

  it.each<[Partial<NotificationView>, string]>([
    [{}, '/approvals?tab=submitted&item=mapping-3-17'],
    [{ reason: 'REVIEW', waiting: 1 }, '/approvals?tab=review&by=batch&group=c1&item=mapping-3-17'],
    [{ ...many, reason: 'REVIEW', waiting: 1 }, '/approvals?tab=review&by=batch&group=c1'],
    [{ kind: 'crosswalk', ids: [3] }, '/approvals?tab=submitted&item=crosswalk-3-3'],
    [{ kind: 'job', ids: [], reason: 'JOB_DONE' }, '/monitor?job=3'],
    [{ kind: 'collection', ids: [], reason: 'GRANTED', status: 'READ' }, '/reference-data'],
    [{ kind: 'collection', ids: [], reason: 'GRANTED', status: 'ADMIN' }, '/collections/3'],
    [{ kind: 'group', ids: [], reason: 'GRANTED' }, '/reference-data'],
    [{ kind: 'backup', ids: [], reason: 'BACKUP_OVERDUE' }, '/admin/database-backup'],
    [{ kind: 'relationship', ids: [3], reason: 'DELETED' }, '/relationships/3'],
  ])('with %j links to %s', (more, link) => expect(linkOf(notification(more), true)).toBe(link));

  it('links to the items of one decision, filtered by their crosswalk', () => {
    const [path, query] = linkOf(notification(many), true).split('?');
    const search = new URLSearchParams(query);
    expect([path, search.get('tab')]).toEqual(['/approvals', 'submitted']);
    expect(JSON.parse(search.get('filter') ?? '').conditions).toEqual([
      { field: 'decisionId', operator: 'equals', value: 'c1' },
      { field: 'parent', operator: 'equals', value: 'crosswalk:3' },
    ]);
  });

  it('links to the row on its current tab for users who cannot open the approvals page', () => {
    const [path, query] = linkOf(notification({ status: 'REJECTED' }), false).split('?');
    const search = new URLSearchParams(query);
    expect([path, search.get('tab')]).toEqual(['/crosswalks/3/mappings', 'rejected']);
    expect(JSON.parse(search.get('filter') ?? '').conditions).toEqual([{ field: 'id', operator: 'equals', value: 17 }]);
  });
});

describe('the panel', () => {
  const notice = (id: number, at: string, href?: string): Notice => ({
    id,
    kind: 'success',
    title: `Notice ${id}`,
    description: '',
    at: new Date(at),
    open: false,
    isRead: false,
    ...(href === undefined ? {} : { href }),
  });
  const job = notification({
    id: '9-0',
    kind: 'job',
    parentId: 12,
    reason: 'JOB_DONE',
    at: '2026-03-02T09:00:00.000Z',
  });

  it('contains notifications and notices, newest first, and the end of a job once', () => {
    const tab = [notice(2, '2026-03-02T11:00:00.000Z'), notice(1, '2026-03-02T09:00:01.000Z', '/monitor?job=12')];
    expect(mergeEntries(tab, [notification(), job]).map(({ key, isRead }) => [key, isRead])).toEqual([
      ['tab 2', false],
      ['7-0', false],
      ['9-0', false],
    ]);
    expect(countUnreadNotices(tab, [notification(), job])).toBe(1);
    expect(countUnreadNotices(tab, [])).toBe(2);
  });

  it('groups entries by local day', () => {
    const now = new Date(2026, 2, 2, 9, 0).getTime();
    const at = (day: number, hour: number): Entry => ({
      key: `${day} ${hour}`,
      at: new Date(2026, 2, day, hour).getTime(),
      isRead: true,
      notification: notification(),
    });
    const days = byDay([at(2, 8), at(2, 0), at(1, 23), at(1, 0), at(-3, 5)], now, (moment) =>
      String(new Date(moment).getDate()),
    );
    expect(days.map(({ label, entries }) => [label, entries.length])).toEqual([
      ['Today', 2],
      ['Yesterday', 2],
      ['25', 1],
    ]);
  });
});
