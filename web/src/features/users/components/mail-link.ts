/** Finds the link in the text of a mail. */

export const linkIn = (text: string | null): string | undefined => /https?:\/\/\S+/.exec(text ?? '')?.[0];
