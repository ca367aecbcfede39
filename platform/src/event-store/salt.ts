/** Draws the salt of a command, which the metadata of its events hold. */
import { randomBytes } from 'node:crypto';

const SALT_BYTES = 16;

/** 32 hexadecimal digits. */
export const newSalt = (): string => randomBytes(SALT_BYTES).toString('hex');
