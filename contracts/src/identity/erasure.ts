/** The report before the erasure of a user: data that names the user, legal holds, and backups with the user. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';

/** GET /api/users/{id}/erasure-report. */
export const ErasureReport = defineView(() =>
  z.object({
    id: z.number(),
    username: z.string(),
    displayName: z.string().nullable(),
    searched: z.array(z.string()).describe('The names and the e-mail address that were searched for.'),
    mentions: z
      .array(
        z.object({
          place: z
            .string()
            .describe('The data that contains a name or the e-mail address, such as “Rows of Countries”.'),
          count: z.number(),
          path: z.string().nullable().describe('The page that shows the data.'),
        }),
      )
      .describe('Data that names the user; the erasure does not change it.'),
    holds: z
      .array(z.object({ id: z.number(), matter: z.string() }))
      .describe('Legal holds that protect the user from erasure.'),
    backups: z.array(z.string()).describe('Files of backups that were made while the user existed.'),
  }),
);
export type ErasureReport = z.infer<typeof ErasureReport>;
