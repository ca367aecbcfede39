/** Defines the zod schema of an answer. Clients import only its type: bundlers drop a call that nothing uses. */
import type { z } from 'zod';

/* @__NO_SIDE_EFFECTS__ */
export function defineView<Schema extends z.ZodType>(make: () => Schema): Schema {
  return make();
}
