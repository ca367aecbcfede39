/**
 * Copies a text of the diagnostics. If that fails, shows the message of the browser or, if there is none, how to allow
 * copying.
 */
import { copyText } from '../../../components/copy-text/index.ts';
import { notify } from '../../../components/toast/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';

export const copyOrExplain = (text: string, what: string) =>
  copyText(text, `${what} copied`, (error) =>
    notify.error(messageOf(error, 'The browser did not allow copying. Allow this site to use the clipboard.'), {
      title: `${what} was not copied`,
    }),
  );
