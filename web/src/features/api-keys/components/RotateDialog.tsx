/** Rotates the secret of a key; the old secret can stay valid for a while. */
import { API_KEY_OVERLAP_HOURS, type ApiKeyView } from '@rdm/contracts/identity/api-keys';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { reloadApiKeys, rotateApiKey } from '../api/api-keys.ts';
import { OVERLAPS } from './expiry.ts';
import type { ShownSecret } from './SecretDialog.tsx';

export interface RotateDialogProps {
  apiKey: ApiKeyView;
  onClose: () => void;
  onRotated: (shown: ShownSecret) => void;
}

export function RotateDialog({ apiKey, onClose, onRotated }: RotateDialogProps) {
  const queries = useQueryClient();
  const [overlap, setOverlap] = useState(String(API_KEY_OVERLAP_HOURS));
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);

  async function rotate() {
    setBusy(true);
    setProblem(undefined);
    try {
      const overlapHours = Number(overlap);
      const { key } = await rotateApiKey(apiKey.id, overlapHours);
      notify.success('API key rotated', { description: apiKey.name });
      onRotated({ name: apiKey.name, secret: key, scopes: apiKey.scopes, overlapHours });
      await reloadApiKeys(queries);
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Rotate ${apiKey.name}`}
      description="The key gets a new secret. Scopes and expiry stay as they are."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" disabled={busy} aria-busy={busy} onClick={() => void rotate()}>
            Rotate
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <Field
          label="The previous secret works for"
          hint="Choose enough time to replace the secret in the system that uses it."
        >
          {(control) => <Select {...control} value={overlap} onValueChange={setOverlap} options={OVERLAPS} />}
        </Field>
      </div>
    </Dialog>
  );
}
