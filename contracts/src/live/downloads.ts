/** Downloads: lets a page check for a refusal before the browser saves a file. */

/**
 * Header of a GET for a file: with any value, the answer is the refusal that the download would get, or 204 without the file.
 */
export const DOWNLOAD_CHECK = 'X-Download-Check';
