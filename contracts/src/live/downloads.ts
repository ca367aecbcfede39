/** The header with which a page checks, before the browser saves a file, whether the download would be refused. */

/** With this header, a GET of a file returns 204 without the file or, if the download would be refused, the refusal. */
export const DOWNLOAD_CHECK = 'X-Download-Check';
