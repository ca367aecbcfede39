/** Finds the link in a mail. */

export const linkIn = (text: string | null): string | undefined => /https?:\/\/\S+/.exec(text ?? '')?.[0];
