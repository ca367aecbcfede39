/** The `include` query parameter of routes for one resource: adds further data to the response. */
import { z } from 'zod';

export const IncludeQuery = z.object({
  asOf: z.string().max(100).optional(),
  include: z.string().max(1_000).optional(),
});
