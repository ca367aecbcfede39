/** Files that the server answers, saved. */

import { fileAsOf, readFile } from '../../lib/api/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { notify } from '../toast/index.ts';

/** Starts a download that the server writes as it reads, however large it is. */
export function saveFile(url: string): void {
  const link = document.createElement('a');
  link.href = fileAsOf(url);
  link.download = '';
  link.click();
}

/** Saves a file that the server answers whole or not at all. */
export async function saveWholeFile(url: string): Promise<void> {
  try {
    const { name, content } = await readFile(fileAsOf(url));
    const address = URL.createObjectURL(content);
    const link = document.createElement('a');
    link.href = address;
    link.download = name;
    link.click();
    URL.revokeObjectURL(address);
  } catch (error) {
    notify.error(messageOf(error), { title: 'The file was not written' });
  }
}
