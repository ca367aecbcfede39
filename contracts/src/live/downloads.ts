/** Downloads: lets a page check for a refusal before the browser saves a file. */

/**
 * A header of a GET for a file. If it is present, the answer is 204 instead of the file, or the refusal of the download.
 */
export const DOWNLOAD_CHECK = 'X-Download-Check';
