/** Files that the server answers, saved. */

import { fileAsOf, readFile, requireFile } from '../../lib/api/index.ts';
import { messageOf } from '../../lib/messages/index.ts';
import { notify } from '../toast/index.ts';

/**
 * Starts a download that the server writes as it reads, however large it is. The browser says only that a download failed:
 * a refusal is asked for before it starts.
 */
export const saveFile = (url: string): Promise<void> =>
  orSayWhyNot(async () => {
    await requireFile(fileAsOf(url));
    save(fileAsOf(url));
  });

/** Saves a file that the server answers whole or not at all. */
export const saveWholeFile = (url: string): Promise<void> =>
  orSayWhyNot(async () => {
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

async function orSayWhyNot(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    notify.error(messageOf(error), { title: 'The file was not written' });
  }
}
