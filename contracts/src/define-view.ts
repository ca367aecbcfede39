/** Defines the zod schema of a response. Web clients only import its type, and bundlers leave out a call whose result is not used. */
import type { z } from 'zod';

/* @__NO_SIDE_EFFECTS__ */
export function defineView<Schema extends z.ZodType>(make: () => Schema): Schema {
  return make();
}
