/** The `include` query parameter of routes for one resource: adds further data to the response. */
import { AsOf } from '@rdm/contracts';
import { z } from 'zod';

export const IncludeQuery = z.object({
  asOf: AsOf,
  include: z.string().max(1_000).optional().describe('Further data to include, separated by commas.'),
});
