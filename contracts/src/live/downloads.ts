/** The header of a request that checks whether a download would be refused. */

/** With this header, a GET of a file returns the refusal of the download, or 204 without the file. */
export const DOWNLOAD_CHECK = 'X-Download-Check';
