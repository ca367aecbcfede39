/** Shows the changes, then copies the permissions of another collection that the user administers. */
import type { PermissionView } from '@rdm/contracts/collections/collections';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Alert } from '../../../components/ui/alert.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { Dialog } from '../../../components/ui/dialog.tsx';
import { Field } from '../../../components/ui/input.tsx';
import { Select } from '../../../components/ui/select.tsx';
import { messageOf } from '../../../lib/messages/index.ts';
import { administeredCollectionsQuery, permissionsQuery } from '../api/collections.ts';
import { Differences } from './Differences.tsx';
import { copyGrants, differences, type GrantChange, keyOf } from './grants.ts';

export interface CopyPermissionsDialogProps {
  collectionId: number;
  grants: readonly PermissionView[];
  onClose: () => void;
  onCopy: (change: GrantChange, from: string) => void;
}

export function CopyPermissionsDialog({ collectionId, grants, onClose, onCopy }: CopyPermissionsDialogProps) {
  const [from, setFrom] = useState<string>();
  const { data: administered, error: listError } = useQuery(administeredCollectionsQuery);
  const { data: source, error } = useQuery({ ...permissionsQuery(Number(from)), enabled: from !== undefined });
  const otherCollections = administered?.filter(({ id }) => id !== collectionId);
  const change = source && copyGrants(source.items);
  const nameByGrantee = new Map([...grants, ...(source?.items ?? [])].map((grant) => [keyOf(grant), grant.name]));
  const changes =
    change &&
    differences(
      grants,
      change(grants).map((grant) => ({ ...grant, name: nameByGrantee.get(keyOf(grant)) ?? null })),
    );

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Copy permissions"
      description="Adds the grants of another collection to this one. Existing levels are not lowered."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            variant="primary"
            disabled={!change || !changes || changes.length === 0}
            onClick={() =>
              change && onCopy(change, otherCollections?.find(({ id }) => String(id) === from)?.name ?? '')
            }
          >
            Copy permissions
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {(error ?? listError) !== null && <Alert tone="error">{messageOf(error ?? listError)}</Alert>}
        <Field label="From" hint="Collections that you administer.">
          {(control) => (
            <Select
              {...control}
              value={from}
              onValueChange={setFrom}
              placeholder="Choose a collection…"
              options={(otherCollections ?? []).map(({ id, name }) => ({ value: String(id), label: name }))}
            />
          )}
        </Field>
        {changes && changes.length === 0 && (
          <p className="text-muted">
            This collection already has every grant of the chosen collection, at the same or a higher level.
          </p>
        )}
        {changes && changes.length > 0 && <Differences label="Changes" changes={changes} />}
      </div>
    </Dialog>
  );
}
