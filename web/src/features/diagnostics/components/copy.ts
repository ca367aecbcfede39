/** Copies a text of the diagnostics. After a failure, shows the browser's message or explains how to allow copying. */
import { copyText } from '../../../components/copy-text/index.ts';
import { notify } from '../../../components/toast/index.ts';
import { messageOf } from '../../../lib/messages/index.ts';

export const copyOrExplain = (text: string, what: string) =>
  copyText(text, `${what} copied`, (error) =>
    notify.error(messageOf(error, 'The browser did not allow copying. Allow this site to use the clipboard.'), {
      title: `${what} was not copied`,
    }),
  );
