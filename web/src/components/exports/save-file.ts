/** Downloads files from the server. */

import { fileAsOf, readFile, requireFile } from '../../lib/api/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { saveBlob, saveUrl } from '../../lib/save-blob/index.ts';
import { notify } from '../toast/index.ts';

/**
 * Starts a streamed download of any size. Checks the request first, because the browser does not report why a download
 * failed.
 */
export const saveFile = (url: string): Promise<void> =>
  withErrorReport(async () => {
    await requireFile(fileAsOf(url));
    saveUrl(fileAsOf(url));
  });

/** Downloads the whole file before saving, so that no incomplete file is saved. */
export const saveWholeFile = (url: string): Promise<void> =>
  withErrorReport(async () => {
    const { name, content } = await readFile(fileAsOf(url));
    saveBlob(content, name);
  });

/** Runs a download and shows the error if the download fails. */
export async function withErrorReport(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    notify.error(messageOf(error), { title: 'The file was not saved' });
  }
}
