/**
 * Defines the Zod schema of a response. The web client imports only the type of a schema, so the bundler leaves the
 * unused schema out of the client.
 */
import type { z } from 'zod';

/* @__NO_SIDE_EFFECTS__ */
export function defineView<Schema extends z.ZodType>(make: () => Schema): Schema {
  return make();
}
