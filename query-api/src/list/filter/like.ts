/** Texts within patterns of LIKE. */

/** A needle within LIKE stands for itself alone. */
export const escapeLike = (text: string): string => text.replace(/[\\%_]/g, (character) => `\\${character}`);
