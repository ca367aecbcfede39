/** The schedule of automatic backups, and the retention, which determines how long they are kept. */
import { z } from 'zod';

const isZone = (zone: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    return false;
  }
};

/** PUT /api/backups/schedule. Times are local times of the zone. */
export const BackupSchedule = z.object({
  enabled: z.boolean(),
  every: z.enum(['DAY', 'WEEK']),
  weekday: z.number().int().min(1).max(7).default(1).describe('The day of a weekly backup: 1 is Monday.'),
  at: z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Enter the time as hours and minutes, such as 02:00'),
  zone: z.string().max(100).refine(isZone, 'This is not a time zone: enter one such as Europe/Berlin'),
  keep: z
    .object({
      daily: z.number().int().min(1).max(366),
      weekly: z.number().int().min(0).max(520),
      monthly: z.number().int().min(0).max(240),
    })
    .describe(
      'For how many of the last days, weeks and months the newest scheduled backup is kept. Only those with a scheduled backup count.',
    ),
});
export type BackupSchedule = z.infer<typeof BackupSchedule>;

/** The schedule until an administrator changes it. */
export const DEFAULT_SCHEDULE: BackupSchedule = {
  enabled: false,
  every: 'DAY',
  weekday: 1,
  at: '02:00',
  zone: 'UTC',
  keep: { daily: 7, weekly: 4, monthly: 12 },
};
