/** Generates the salt of a command. The metadata of the command's events contains the salt. */
import { randomBytes } from 'node:crypto';

const SALT_BYTES = 16;

/** Returns 32 random hexadecimal digits. */
export const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex');
