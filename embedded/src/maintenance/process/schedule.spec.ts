/** Tests when scheduled backups start, and which backups the retention deletes. */
import { type BackupSchedule, DEFAULT_SCHEDULE } from '@rdm/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  expiredBackups,
  expiryTimes,
  isOverdue,
  type KeptBackup,
  nextBackupAt,
  nextRestoreCheckOf,
  nextTime,
} from './schedule.ts';

const berlin = { every: 'DAY', weekday: 1, at: '02:30', zone: 'Europe/Berlin' } as const;
const nextTimeAfter = (times: Parameters<typeof nextTime>[0], after: string) =>
  nextTime(times, new Date(after))?.toISOString();

describe('the time of a scheduled backup', () => {
  it('is a local time of the zone, in summer and in winter', () => {
    expect(nextTimeAfter(berlin, '2026-07-01T00:31:00Z')).toBe('2026-07-02T00:30:00.000Z');
    expect(nextTimeAfter(berlin, '2026-11-26T01:29:00Z')).toBe('2026-11-26T01:30:00.000Z');
  });

  it('of a weekly backup is on its weekday', () => {
    expect(nextTimeAfter({ ...berlin, every: 'WEEK', weekday: 7 }, '2026-11-26T12:00:00Z')).toBe(
      '2026-11-29T01:30:00.000Z',
    );
  });

  it('is at most half an hour after a clock change that skips it', () => {
    // On 29 March 2026 the clock goes from 02:00 to 03:00.
    const at = nextTimeAfter(berlin, '2026-03-28T12:00:00Z') ?? '';
    expect(at.slice(0, 10)).toBe('2026-03-29');
    expect(Date.parse(at)).toBeGreaterThanOrEqual(Date.parse('2026-03-29T01:00:00Z'));
    expect(Date.parse(at)).toBeLessThanOrEqual(Date.parse('2026-03-29T01:30:00Z'));
  });

  it('occurs once if a clock change repeats it', () => {
    // On 25 October 2026 the clock shows 02:30 at 00:30Z and again at 01:30Z.
    const first = nextTimeAfter(berlin, '2026-10-24T12:00:00Z');
    expect(first).toBe('2026-10-25T00:30:00.000Z');
    expect(nextTimeAfter(berlin, first ?? '')).toBe('2026-10-26T01:30:00.000Z');
  });
});

describe('the next backup', () => {
  const schedule = { ...DEFAULT_SCHEDULE, enabled: true };

  it('is null without an enabled schedule', () => {
    const since = new Date('2026-11-26T00:00:00Z');
    expect(nextBackupAt(null, { since, startedAt: since })).toBeNull();
    expect(nextBackupAt(DEFAULT_SCHEDULE, { since, startedAt: since })).toBeNull();
  });

  it('starts ten minutes after the start of the product if it was due while the product was stopped', () => {
    const since = new Date('2026-11-20T02:00:00Z');
    const startedAt = new Date('2026-11-26T09:00:00Z');
    expect(nextBackupAt(schedule, { since, startedAt })?.toISOString()).toBe('2026-11-26T09:10:00.000Z');
  });
});

describe('a backup', () => {
  const schedule = { ...DEFAULT_SCHEDULE, enabled: true };
  const since = new Date('2026-11-20T12:00:00Z');
  const overdueAt = (now: string, tested: typeof schedule | null = schedule) =>
    isOverdue(tested, { since, now: new Date(now) });

  it('is overdue if two scheduled backups in a row are missing', () => {
    expect(overdueAt('2026-11-21T02:30:00Z')).toBe(false);
    expect(overdueAt('2026-11-22T02:30:00Z')).toBe(false);
    expect(overdueAt('2026-11-22T03:01:00Z')).toBe(true);
  });

  it('is never overdue without an enabled schedule', () => {
    expect(overdueAt('2027-11-22T03:01:00Z', null)).toBe(false);
    expect(overdueAt('2027-11-22T03:01:00Z', DEFAULT_SCHEDULE)).toBe(false);
  });
});

describe('the retention', () => {
  const dailyBackups = (count: number, more: Partial<KeptBackup> = {}): KeptBackup[] =>
    Array.from({ length: count }, (_, index) => ({
      backupId: index + 1,
      at: new Date(Date.UTC(2026, 0, 1 + index, 2)),
      trigger: 'SCHEDULE',
      pinned: false,
      isIntact: true,
      ...more,
    }));

  it('keeps the newest backups of days, weeks and months', () => {
    const backups = dailyBackups(90);
    const expired = new Set(expiredBackups(backups, { keep: { daily: 7, weekly: 4, monthly: 2 }, zone: 'UTC' }));
    const kept = backups
      .filter(({ backupId }) => !expired.has(backupId))
      .map(({ at }) => at.toISOString().slice(0, 10));
    expect(kept).toEqual([
      '2026-02-28', // the newest of February
      '2026-03-15', // Sundays: the newest of their weeks
      '2026-03-22',
      ...['2026-03-25', '2026-03-26', '2026-03-27', '2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31'],
    ]);
  });

  it('never deletes the newest intact backup, a pinned backup, or a manual or uploaded backup', () => {
    const anyBackup = fc.record({
      at: fc.date({ min: new Date('2020-01-01'), max: new Date('2026-01-01'), noInvalidDate: true }),
      trigger: fc.constantFrom('SCHEDULE', 'MANUAL', 'UPLOAD'),
      pinned: fc.boolean(),
      isIntact: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(anyBackup, { maxLength: 60 }), (samples) => {
        const backups = samples.map((each, index) => ({ ...each, backupId: index + 1 }));
        const expired = new Set(
          expiredBackups(backups, { keep: { daily: 1, weekly: 0, monthly: 0 }, zone: 'Asia/Tokyo' }),
        );
        const intact = backups.filter(({ isIntact }) => isIntact);
        const newest = Math.max(...intact.map(({ at }) => at.getTime()));
        for (const { backupId, pinned, trigger } of backups) {
          if (pinned || trigger !== 'SCHEDULE') expect(expired.has(backupId)).toBe(false);
        }
        if (intact.length === 0) return;
        expect(intact.some(({ backupId, at }) => at.getTime() === newest && !expired.has(backupId))).toBe(true);
      }),
    );
  });
});

describe('the time at which the retention deletes a backup', () => {
  const schedule = { ...DEFAULT_SCHEDULE, enabled: true, zone: 'Europe/Berlin' };
  const backup = (backupId: number, at: string, more: Partial<KeptBackup> = {}): KeptBackup => ({
    ...{ backupId, at: new Date(at), trigger: 'SCHEDULE', pinned: false, isIntact: true },
    ...more,
  });

  /** Simulates successful scheduled backups until a time. Returns the time of each deletion of one of `backups`. */
  function simulate(
    backups: readonly KeptBackup[],
    plan: BackupSchedule,
    next: Date,
    until: Date,
  ): Map<number, number> {
    const deletedAt = new Map<number, number>();
    let kept = [...backups];
    for (let at: Date | null = next; at !== null && at <= until; at = nextTime(plan, at)) {
      kept.push(backup(10_000 + kept.length, at.toISOString()));
      const expired = new Set(expiredBackups(kept, plan));
      for (const id of expired) if (id < 10_000) deletedAt.set(id, at.getTime());
      kept = kept.filter(({ backupId }) => !expired.has(backupId));
    }
    return deletedAt;
  }

  it('matches a simulation of the schedule and the retention', () => {
    const anyBackup = fc.record({
      at: fc.date({ min: new Date('2026-09-01'), max: new Date('2026-11-25'), noInvalidDate: true }),
      trigger: fc.constantFrom('SCHEDULE', 'SCHEDULE', 'MANUAL'),
      pinned: fc.boolean(),
      isIntact: fc.boolean(),
    });
    const anySchedule = fc.record({
      every: fc.constantFrom('DAY' as const, 'WEEK' as const),
      weekday: fc.integer({ min: 1, max: 7 }),
      at: fc.constantFrom('00:10', '02:30', '23:50'),
      zone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Tokyo'),
      keep: fc.record({
        daily: fc.integer({ min: 1, max: 4 }),
        weekly: fc.integer({ min: 0, max: 3 }),
        monthly: fc.integer({ min: 0, max: 2 }),
      }),
    });
    fc.assert(
      fc.property(fc.array(anyBackup, { maxLength: 12 }), anySchedule, (samples, times) => {
        const plan = { ...times, enabled: true };
        const all = samples.map((each, index) => ({ ...each, backupId: index + 1 }));
        // Start without the backups that the retention deletes immediately.
        const expired = new Set(expiredBackups(all, plan));
        const backups = all.filter(({ backupId }) => !expired.has(backupId));
        const next = nextTime(plan, new Date('2026-11-25')) as Date;
        const simulated = simulate(backups, plan, next, new Date('2027-01-20'));
        const predicted = [...expiryTimes(backups, plan, next)].map(([id, at]): [number, number] => [id, at.getTime()]);
        expect(new Map(predicted.sort())).toEqual(new Map([...simulated].sort()));
      }),
      { numRuns: 20 },
    );
  });

  it('is unknown for pinned and manual backups, and without an enabled schedule', () => {
    const backups = [
      backup(1, '2026-11-20T02:00:00Z', { pinned: true }),
      backup(2, '2026-11-21T02:00:00Z', { trigger: 'MANUAL' }),
      backup(3, '2026-11-22T02:00:00Z'),
    ];
    const next = new Date('2026-11-26T01:00:00Z');
    expect([...expiryTimes(backups, schedule, next).keys()]).toEqual([3]);
    expect(expiryTimes(backups, DEFAULT_SCHEDULE, null).size).toBe(0);
    expect(expiryTimes(backups, null, null).size).toBe(0);
  });
});

describe('the verification by a restore', () => {
  const backup = (backupId: number, day: number, { isIntact = true, isReadable = true } = {}) => ({
    ...{ backupId, isIntact, isReadable },
    at: new Date(`2026-11-${day}T02:00:00Z`),
  });
  const checkedAt = new Date('2026-11-13T03:00:00Z');
  const dueAt = (now: string, ...backups: ReturnType<typeof backup>[]) =>
    nextRestoreCheckOf(backups, { checkedAt, now: new Date(now) });

  it('uses the newest intact backup that is readable', () => {
    const damaged = backup(3, 20, { isIntact: false });
    const unreadable = backup(4, 20, { isReadable: false });
    expect(dueAt('2026-11-20T03:00:00Z', backup(1, 18), damaged, unreadable, backup(2, 19))).toBe(2);
    expect(dueAt('2026-11-20T03:00:00Z')).toBeUndefined();
  });
  it('is not due before a week after the last verification by a restore', () => {
    expect(dueAt('2026-11-20T02:59:59Z', backup(1, 18))).toBeUndefined();
  });
});
