/** The page of API keys, with their scopes, their expiry and their usage. */
import { API_KEY_WARNING_DAYS, type ApiKeyView } from '@rdm/contracts/identity/api-keys';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Ban, PanelRight, Plus, RefreshCw } from 'lucide-react';
import { parseAsBoolean, useQueryState } from 'nuqs';
import { useState } from 'react';
import { DataGrid, type RowAction } from '../../../components/data-grid/index.ts';
import { PageHeader } from '../../../components/page/index.tsx';
import { notify } from '../../../components/toast/index.ts';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Confirm } from '../../../components/ui/dialog.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { type ListState, useListState } from '../../../lib/url-state/list-state.ts';
import { apiKeysQuery, EXPIRING, expiringCountQuery, reloadApiKeys, revokeApiKey } from '../api/api-keys.ts';
import { CreateKeyDialog } from '../components/CreateKeyDialog.tsx';
import { COLUMNS, FILTERS } from '../components/columns.tsx';
import { KeyDrawer } from '../components/KeyDrawer.tsx';
import { stateOf } from '../components/KeyState.tsx';
import { RotateDialog } from '../components/RotateDialog.tsx';
import { SecretDialog, type ShownSecret } from '../components/SecretDialog.tsx';

const keyId = ({ id }: ApiKeyView) => id;

/** Why an action on an ended key is unavailable. */
const ENDED_REASONS = { Revoked: 'This API key was revoked', Expired: 'This API key has expired' } as const;

export default function ApiKeys() {
  const state = useListState({ sort: 'name' });
  const result = useQuery(apiKeysQuery(state.params));
  const [isCreating, setCreating] = useQueryState('new', parseAsBoolean.withDefault(false));
  const [openedKeyId, setOpenedKeyId] = useState<number>();
  const [keyToRotate, setKeyToRotate] = useState<ApiKeyView>();
  const [keyToRevoke, setKeyToRevoke] = useState<ApiKeyView>();
  const [shownSecret, setShownSecret] = useState<ShownSecret>();
  const openedKey = result.data?.items.find(({ id }) => id === openedKeyId);

  const actionsOf = (apiKey: ApiKeyView): readonly RowAction<ApiKeyView>[] => {
    const keyState = stateOf(apiKey);
    return [
      { label: 'Details', icon: PanelRight, onSelect: () => setOpenedKeyId(apiKey.id) },
      {
        label: 'Rotate',
        icon: RefreshCw,
        onSelect: () => setKeyToRotate(apiKey),
        unavailable: keyState === 'Revoked' || keyState === 'Expired' ? ENDED_REASONS[keyState] : undefined,
      },
      {
        label: 'Revoke',
        icon: Ban,
        destructive: true,
        onSelect: () => setKeyToRevoke(apiKey),
        unavailable: keyState === 'Revoked' ? ENDED_REASONS[keyState] : undefined,
      },
    ];
  };

  const create = (
    <Button variant="primary" onClick={() => void setCreating(true)}>
      <Plus />
      Create API key
    </Button>
  );

  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <PageHeader
        title="API Keys"
        description="Keys for other systems, with their scopes and expiry."
        actions={create}
      />
      <ExpiryNotice state={state} />
      <DataGrid
        label="API keys"
        entity="api-keys"
        state={state}
        result={result}
        columns={COLUMNS}
        rowId={keyId}
        rowActions={actionsOf}
        onOpen={({ id }) => setOpenedKeyId(id)}
        filterFields={FILTERS}
        empty={{
          title: 'No API keys yet',
          description: 'With a key, another system can read, translate or write in the collections that you choose.',
          action: create,
        }}
      />
      {openedKey !== undefined && <KeyDrawer apiKey={openedKey} onClose={() => setOpenedKeyId(undefined)} />}
      {isCreating && (
        <CreateKeyDialog
          onClose={() => void setCreating(null)}
          onCreated={(created) => {
            void setCreating(null);
            setShownSecret(created);
          }}
        />
      )}
      {keyToRotate !== undefined && (
        <RotateDialog
          apiKey={keyToRotate}
          onClose={() => setKeyToRotate(undefined)}
          onRotated={(rotated) => {
            setKeyToRotate(undefined);
            setShownSecret(rotated);
          }}
        />
      )}
      {keyToRevoke !== undefined && <RevokeDialog apiKey={keyToRevoke} onClose={() => setKeyToRevoke(undefined)} />}
      {shownSecret !== undefined && <SecretDialog shown={shownSecret} onClose={() => setShownSecret(undefined)} />}
    </div>
  );
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKeyView; onClose: () => void }) {
  const queries = useQueryClient();
  const [busy, setBusy] = useState(false);

  async function revoke() {
    setBusy(true);
    try {
      await revokeApiKey(apiKey.id);
      notify.success('API key revoked', { description: apiKey.name });
      await reloadApiKeys(queries);
    } catch (error) {
      notify.error(messageOf(error), { title: 'Failed to revoke API key' });
    }
    onClose();
  }

  return (
    <Confirm
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Revoke ${apiKey.name}?`}
      description="The next request with this key is rejected, and the jobs of this key stop. This cannot be undone."
      confirm="Revoke"
      onConfirm={() => void revoke()}
      busy={busy}
    />
  );
}

function ExpiryNotice({ state }: { state: ListState }) {
  const { data: count = 0 } = useQuery(expiringCountQuery);
  if (count === 0 || state.filter !== undefined) return null;
  return (
    <Alert
      tone="warning"
      className="mb-3"
      title={`${count === 1 ? 'One API key expires' : `${count} API keys expire`} within ${API_KEY_WARNING_DAYS} days`}
    >
      Create a new key for a system before its key expires. A rotation does not change the expiry.{' '}
      <button
        type="button"
        className="font-medium underline underline-offset-2"
        onClick={() => state.setFilter(EXPIRING)}
      >
        Show {count === 1 ? 'the key' : 'the keys'}
      </button>
    </Alert>
  );
}
