/** The query of routes for one resource: `asOf` reads the past, and `include` adds further data to the response. */
import { AsOf } from '@rdm/contracts';
import { z } from 'zod';

export const IncludeQuery = z.object({
  asOf: AsOf,
  include: z.string().max(1_000).optional().describe('Further data to include, separated by commas.'),
});
