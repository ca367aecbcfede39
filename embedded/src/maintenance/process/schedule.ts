/** Computes when the next scheduled backup starts, and which backups the retention deletes. */
import type { BackupSchedule } from '@rdm/contracts';
import { Cron } from 'croner';

const DAY_MS = 24 * 3_600_000;
/** A backup that was due while the product was stopped starts this long after the start of the product. */
const MISSED_AFTER_MS = 10 * 60_000;

type Times = Pick<BackupSchedule, 'every' | 'weekday' | 'at' | 'zone'>;

/** Returns the first time of the schedule after an instant. */
export function nextTime({ every, weekday, at, zone }: Times, after: Date): Date | null {
  const [hour, minute] = at.split(':').map(Number);
  // In Cron, 7 is Sunday, as in `weekday`.
  const cron = new Cron(`${minute} ${hour} * * ${every === 'WEEK' ? weekday : '*'}`, { timezone: zone, paused: true });
  return cron.nextRun(after);
}

/**
 * Returns when the next scheduled backup starts; null without an enabled schedule. `since` is the time of the last
 * scheduled backup or of the last change of the schedule, whichever is later. A backup that was missed before the start
 * of the product starts soon after the start.
 */
export function nextBackupAt(
  schedule: BackupSchedule | null,
  { since, startedAt }: { since: Date; startedAt: Date },
): Date | null {
  if (!schedule?.enabled) return null;
  const due = nextTime(schedule, since);
  if (due === null || due >= startedAt) return due;
  return new Date(startedAt.getTime() + MISSED_AFTER_MS);
}

/** A scheduled backup that has not succeeded after this time counts as missing. */
const DURATION_MS = 3_600_000;

/** Whether two scheduled backups are missing since the last success or change of the schedule, given as `since`. */
export function isOverdue(schedule: BackupSchedule | null, { since, now }: { since: Date; now: Date }): boolean {
  if (!schedule?.enabled) return false;
  const first = nextTime(schedule, since);
  const second = first && nextTime(schedule, first);
  return second !== null && second.getTime() + DURATION_MS < now.getTime();
}

const WEEK_MS = 7 * DAY_MS;

/**
 * Returns the id of the newest intact backup that a restore can read without a passphrase from a user. Returns
 * undefined for a week after `checkedAt`, the last verification by a restore.
 */
export function nextRestoreCheckOf(
  backups: readonly (Pick<KeptBackup, 'backupId' | 'at' | 'isIntact'> & { isReadable: boolean })[],
  { checkedAt, now }: { checkedAt: Date; now: Date },
): number | undefined {
  if (now.getTime() - checkedAt.getTime() < WEEK_MS) return undefined;
  const [newest] = backups
    .filter(({ isIntact, isReadable }) => isIntact && isReadable)
    .sort((a, b) => b.at.getTime() - a.at.getTime());
  return newest?.backupId;
}

export interface KeptBackup {
  backupId: number;
  at: Date;
  trigger: string;
  pinned: boolean;
  isIntact: boolean;
}

/**
 * Returns the ids of the scheduled backups that the retention deletes. The newest intact backup, pinned backups, and
 * the newest backup of each retained day, week and month remain. Periods without a scheduled backup do not count.
 */
export function expiredBackups(
  backups: readonly KeptBackup[],
  { keep, zone }: Pick<BackupSchedule, 'keep' | 'zone'>,
): number[] {
  const newestFirst = [...backups].sort((a, b) => b.at.getTime() - a.at.getTime());
  const newestIntact = newestFirst.find(({ isIntact }) => isIntact);
  const scheduled = newestFirst.filter(({ trigger }) => trigger === 'SCHEDULE');
  const keptIds = new Set<number>();
  if (newestIntact) keptIds.add(newestIntact.backupId);
  const keepNewestOf = (periods: number, periodOf: (day: string) => string): void => {
    const keptPeriods = new Set<string>();
    for (const { backupId, at } of scheduled) {
      const period = periodOf(localDay(at, zone));
      if (keptPeriods.has(period)) continue;
      if (keptPeriods.size === periods) return;
      keptPeriods.add(period);
      keptIds.add(backupId);
    }
  };
  keepNewestOf(keep.daily, (day) => day);
  keepNewestOf(keep.weekly, weekOf);
  keepNewestOf(keep.monthly, monthOf);
  return scheduled.filter(({ backupId, pinned }) => !pinned && !keptIds.has(backupId)).map(({ backupId }) => backupId);
}

/**
 * Returns when the retention deletes each scheduled backup if all coming backups succeed. Backups that are due for
 * deletion already or are never deleted are not in the map. `next` is the time of the next scheduled backup.
 */
export function expiryTimes(
  backups: readonly KeptBackup[],
  schedule: BackupSchedule | null,
  next: Date | null,
): Map<number, Date> {
  const expiries = new Map<number, Date>();
  if (!schedule?.enabled || next === null) return expiries;
  const { keep, zone } = schedule;
  const rules = [
    { periods: keep.daily, periodOf: (day: string) => day },
    { periods: keep.weekly, periodOf: weekOf },
    { periods: keep.monthly, periodOf: monthOf },
  ].map((rule) => ({ ...rule, coming: comingPeriods(schedule, next, rule) }));
  const newestFirst = [...backups].sort((a, b) => b.at.getTime() - a.at.getTime());
  const newestIntact = newestFirst.find(({ isIntact }) => isIntact);
  const newerDays: string[] = [];
  for (const backup of newestFirst) {
    if (backup.trigger !== 'SCHEDULE') continue;
    const day = localDay(backup.at, zone);
    // The newest intact backup is kept until the next backup succeeds.
    const ends = backup === newestIntact ? [next] : [];
    for (const { periods, periodOf, coming } of rules) {
      const ownPeriod = periodOf(day);
      const newerPeriods = new Set(newerDays.map(periodOf));
      if (newerPeriods.has(ownPeriod) || newerPeriods.size >= periods) continue;
      const end = coming.find(({ period }) => period === ownPeriod || newerPeriods.add(period).size >= periods);
      if (end) ends.push(end.at);
    }
    if (!backup.pinned && ends.length > 0) {
      expiries.set(backup.backupId, new Date(Math.max(...ends.map((end) => end.getTime()))));
    }
    newerDays.push(day);
  }
  return expiries;
}

/** Returns the next `periods` + 1 periods with a scheduled backup, each with the time of its first backup. */
function comingPeriods(
  schedule: BackupSchedule,
  next: Date,
  { periods, periodOf }: { periods: number; periodOf: (day: string) => string },
): { period: string; at: Date }[] {
  const coming: { period: string; at: Date }[] = [];
  for (let at: Date | null = next; at !== null && coming.length <= periods; at = nextTime(schedule, at)) {
    const period = periodOf(localDay(at, schedule.zone));
    if (period !== coming.at(-1)?.period) coming.push({ period, at });
  }
  return coming;
}

/** Returns the local date as `2026-11-26`, which is the format of the Swedish locale. */
const localDay = (at: Date, zone: string): string => at.toLocaleDateString('sv-SE', { timeZone: zone });

const monthOf = (day: string): string => day.slice(0, 7);

/** Returns the number of the week since 1970; weeks begin on Monday. */
const weekOf = (day: string): string => String(Math.floor((Date.parse(day) / DAY_MS + 3) / 7));
