/** Creates an API key: its name, its scopes by collection, and its expiry. */

import { CreateApiKey } from '@rdm/contracts/identity/api-keys';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { FormDialog } from '../../../components/form-dialog/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Field, Input, Textarea } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { createApiKey, reloadApiKeys } from '../api/api-keys.ts';
import { EXPIRY_OPTIONS, type Expiry, expiryTime } from './expiry.ts';
import { ScopeChoices } from './ScopeChoices.tsx';
import type { ShownSecret } from './SecretDialog.tsx';
import { asScopes, type ChosenScopes } from './scopes.ts';

const FORM = 'api-key';

export function CreateKeyDialog({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (shown: ShownSecret) => void;
}) {
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [chosenScopes, setChosenScopes] = useState<ChosenScopes>(new Map());
  const [expiry, setExpiry] = useState<Expiry>('90');
  const [day, setDay] = useState('');
  const [showsProblems, setShowsProblems] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const expiresAt = expiryTime(expiry, day, new Date());
  const parsed = CreateApiKey.safeParse({ name, description, scopes: asScopes(chosenScopes), expiresAt });
  const problemOf = (field: string) =>
    showsProblems ? parsed.error?.issues.find((issue) => issue.path[0] === field)?.message : undefined;

  async function create(event: FormEvent) {
    event.preventDefault();
    setShowsProblems(true);
    if (!parsed.success || expiresAt === undefined) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const { key } = await createApiKey(parsed.data);
      notify.success('API key created', { description: parsed.data.name });
      onCreated({ name: parsed.data.name, secret: key, scopes: parsed.data.scopes, overlapHours: undefined });
      await reloadApiKeys(queries);
    } catch (error) {
      setProblem(messageOf(error));
      setBusy(false);
    }
  }

  return (
    <FormDialog
      dirty={(name !== '' || description !== '' || chosenScopes.size > 0) && !busy}
      onClose={onClose}
      title="Create an API key"
      description="Another system authenticates with this key. In reviews, its changes count as yours."
      footer={(leave) => (
        <>
          <Button onClick={leave}>Cancel</Button>
          <Button variant="primary" type="submit" form={FORM} disabled={busy} aria-busy={busy}>
            Create API key
          </Button>
        </>
      )}
    >
      <form id={FORM} noValidate className="flex flex-col gap-4" onSubmit={(event) => void create(event)}>
        {problem !== undefined && <Alert tone="error">{problem}</Alert>}
        <Field label="Name" required hint="The name of the system that will use the key." error={problemOf('name')}>
          {(control) => <Input {...control} required value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label="Description" error={problemOf('description')}>
          {(control) => (
            <Textarea {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
          )}
        </Field>
        <ScopeChoices chosen={chosenScopes} onChange={setChosenScopes} error={problemOf('scopes')} />
        <div className="flex flex-wrap gap-4">
          <Field label="Expires" className="min-w-44 flex-1">
            {(control) => <Select {...control} value={expiry} onValueChange={setExpiry} options={EXPIRY_OPTIONS} />}
          </Field>
          {expiry === 'day' && (
            <Field
              label="Last day"
              required
              className="min-w-44 flex-1"
              error={showsProblems && expiresAt === undefined ? 'Choose a day' : undefined}
            >
              {(control) => (
                <Input {...control} type="date" value={day} onChange={(event) => setDay(event.target.value)} />
              )}
            </Field>
          )}
        </div>
      </form>
    </FormDialog>
  );
}
