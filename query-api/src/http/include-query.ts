/** The `include` query parameter of routes that answer one resource with more of it. */
import { z } from 'zod';

export const IncludeQuery = z.object({
  asOf: z.string().max(100).optional(),
  include: z.string().max(1_000).optional(),
});
