/** Downloads files from the server. */

import { fileAsOf, readFile, requireFile } from '../../lib/api/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { notify } from '../toast/index.ts';

/**
 * Starts a streamed download of any size. The browser reports only that a download failed, so the request is checked
 * first.
 */
export const saveFile = (url: string): Promise<void> =>
  withErrorReport(async () => {
    await requireFile(fileAsOf(url));
    save(fileAsOf(url));
  });

/** Downloads a file that the server returns as a whole or not at all. */
export const saveWholeFile = (url: string): Promise<void> =>
  withErrorReport(async () => {
    const { name, content } = await readFile(fileAsOf(url));
    const address = URL.createObjectURL(content);
    save(address, name);
    URL.revokeObjectURL(address);
  });

function save(address: string, name = ''): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}

async function withErrorReport(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    notify.error(messageOf(error), { title: 'The file was not written' });
  }
}
