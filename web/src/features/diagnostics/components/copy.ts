/** Copies a text, and reports whether that worked. */
import { notify } from '../../../components/toast/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';

export async function copyText(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify.success(`${what} copied`);
  } catch (error) {
    notify.error(messageOf(error, 'The browser did not allow it. Allow this site to use the clipboard.'), {
      title: `${what} was not copied`,
    });
  }
}
