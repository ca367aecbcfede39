/** Generates the salt of a command, which is stored in the metadata of its events. */
import { randomBytes } from 'node:crypto';

const SALT_BYTES = 16;

/** Returns 32 random hexadecimal digits. */
export const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex');
