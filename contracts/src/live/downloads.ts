/** Downloads: lets a page check for a refusal before the browser saves a file. */

/**
 * A header of a GET for a file. With it, the response is 204 without the file or, if the download would be refused, the refusal.
 */
export const DOWNLOAD_CHECK = 'X-Download-Check';
