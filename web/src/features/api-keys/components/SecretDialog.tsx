/** Shows the secret of a key once, for copying, with an example request. */
import type { KeyScope } from '@rdm/contracts/access/api-key-actor';
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { copyText } from '../../../components/copy-text/index.ts';
import { LeaveGuard } from '../../../components/leave-guard/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { messageOf } from '../../../lib/messages/index.ts';

export interface ShownSecret {
  name: string;
  /** Undefined if the response with the secret was lost: the server returns the secret only once. */
  secret: string | undefined;
  scopes: readonly Pick<KeyScope, 'scope'>[];
  /** After a rotation: how long the previous secret stays valid. */
  overlapHours: number | undefined;
}

/** An example of a request that the scopes of the key allow. */
function exampleRequest(secret: string, scopes: ShownSecret['scopes']): string {
  const path = scopes.every(({ scope }) => scope === 'translate')
    ? '/api/crosswalks/{id}/translate?value={value}'
    : '/api/reference-data';
  return `curl -H "Authorization: Bearer ${secret}" \\\n  "${window.location.origin}${path}"`;
}

export function SecretDialog({ shown, onClose }: { shown: ShownSecret; onClose: () => void }) {
  const { name, secret, scopes, overlapHours } = shown;
  const [hasCopied, setCopied] = useState(false);
  const [hasWarned, setWarned] = useState(false);

  /** Warns first if the user has copied nothing, because the secret cannot be displayed again. */
  function close() {
    if (secret === undefined || hasCopied || hasWarned) onClose();
    else setWarned(true);
  }

  async function copy(text: string) {
    const isCopied = await copyText(text, 'Copied', (error) =>
      notify.error(messageOf(error, 'The browser refused to copy')),
    );
    if (!isCopied) return;
    setCopied(true);
    setWarned(false);
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={`The secret of ${name}`}
      onOpenAutoFocus={(event) => event.preventDefault()}
      footer={
        <Button variant={hasCopied || secret === undefined ? 'primary' : 'secondary'} onClick={close}>
          {hasWarned ? 'Close without copying' : 'Done'}
        </Button>
      }
    >
      <LeaveGuard
        dirty={secret !== undefined && !hasCopied}
        onClose={onClose}
        description="You have not copied the secret. It cannot be shown again."
      />
      {secret === undefined ? (
        <Alert tone="warning" title="The response with the secret was lost">
          The server returns each secret only once. Rotate the key to get a new secret.
        </Alert>
      ) : (
        <div className="flex flex-col gap-4">
          {hasWarned ? (
            <Alert tone="error" title="You have not copied the secret yet">
              It cannot be shown again, and the key cannot be used without it.
            </Alert>
          ) : (
            <Alert tone="warning" title="Copy the secret now: it is shown only once">
              Store it with your other secrets. This system stores only a hash of it.
            </Alert>
          )}
          <CopyableText label="Secret" text={secret} onCopy={copy} isCopied={hasCopied} />
          <CopyableText label="Example" text={exampleRequest(secret, scopes)} onCopy={copy} isCopied={false} />
          {overlapHours !== undefined && (
            <p className="text-muted text-sm">
              {overlapHours === 0
                ? 'The previous secret is no longer valid.'
                : `The previous secret is valid for ${overlapHours === 1 ? 'one more hour' : `${overlapHours} more hours`}.`}
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}

interface CopyableTextProps {
  label: string;
  text: string;
  onCopy: (text: string) => Promise<void>;
  isCopied: boolean;
}

function CopyableText({ label, text, onCopy, isCopied }: CopyableTextProps) {
  return (
    <section aria-label={label}>
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 className="font-medium text-sm">{label}</h3>
        <Button size="sm" aria-label={`Copy ${label.toLowerCase()}`} onClick={() => void onCopy(text)}>
          {isCopied ? <Check /> : <Copy />}
          {isCopied ? 'Copied' : 'Copy'}
        </Button>
      </div>
      <pre className="whitespace-pre-wrap break-all rounded-md border border-hairline bg-hover px-2 py-1.5 font-mono text-xs">
        {text}
      </pre>
    </section>
  );
}
