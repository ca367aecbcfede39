/** Creates or edits a group: name and description. */

import type { GroupView } from '@rdm/contracts/identity/identity';
import { CreateGroup } from '@rdm/contracts/identity/roles';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { NameDialog } from '../../../components/name-dialog/index.tsx';
import { changeGroup, createGroup, reloadGroups } from '../api/groups.ts';

export interface GroupDialogProps {
  /** Undefined for a new group. */
  group?: GroupView;
  onClose: () => void;
}

export function GroupDialog({ group, onClose }: GroupDialogProps) {
  const queries = useQueryClient();
  const [storedGroup] = useState(group);

  async function save(values: CreateGroup) {
    if (storedGroup === undefined) await createGroup(values);
    else await changeGroup(storedGroup.id, storedGroup.revision, values);
    await reloadGroups(queries);
    return undefined;
  }

  return (
    <NameDialog
      noun="group"
      description="All members of a group receive the grants of the group on collections."
      stored={storedGroup}
      otherValues={{}}
      hasOtherChanges={false}
      schema={CreateGroup}
      save={save}
      onClose={onClose}
    />
  );
}
