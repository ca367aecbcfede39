/** The link that a mail is about. */

export const linkIn = (text: string | null): string | undefined => /https?:\/\/\S+/.exec(text ?? '')?.[0];
