/**
 * Defines the Zod schema of a response. The annotation lets the bundler omit unused schemas from the web client, which
 * needs only their types.
 */
import type { z } from 'zod';

/* @__NO_SIDE_EFFECTS__ */
export function defineView<Schema extends z.ZodType>(make: () => Schema): Schema {
  return make();
}
