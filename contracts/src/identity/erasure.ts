/** The report before the erasure of a user: where they are named, which legal holds keep them, and which backups contain them. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** GET /api/users/{id}/erasure-report. */
export const ErasureReport = defineView(() =>
  z.object({
    id: z.number(),
    username: z.string(),
    displayName: z.string().nullable(),
    searched: z.array(z.string()).describe('The names and the address that were searched.'),
    mentions: z
      .array(
        z.object({
          place: z.string().describe('What contains one of them, such as “Rows of Countries”.'),
          count: z.number(),
          path: z.string().nullable().describe('The page that shows it.'),
        }),
      )
      .describe('An erasure changes none of these.'),
    holds: z.array(z.object({ id: z.number(), matter: z.string() })).describe('Legal holds that keep the user.'),
    backups: z.array(z.string()).describe('Files of backups that were made while the user existed.'),
  }),
);
export type ErasureReport = z.infer<typeof ErasureReport>;
