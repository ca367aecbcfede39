/** Downloads: how a page finds out that one would be refused, before the browser saves it. */

/** Header of a GET for a file: with any value, the answer is the refusal that the file would meet, or 204 without the file. */
export const DOWNLOAD_CHECK = 'X-Download-Check';
