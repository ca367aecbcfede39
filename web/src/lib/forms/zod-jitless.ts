/**
 * Configures zod to interpret schemas, because compiling them needs eval, which the content security policy forbids.
 */
import { config } from 'zod/v4/core';

config({ jitless: true });
