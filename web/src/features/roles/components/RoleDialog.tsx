/** Creates or edits a role: name, description, pages and abilities. */

import { ABILITIES, type Ability, ADMINISTRATOR_ROLE_ID } from '@rdm/contracts/access/permissions';
import type { RoleView } from '@rdm/contracts/identity/identity';
import { CreateRole } from '@rdm/contracts/identity/roles';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { NameDialog } from '../../../components/name-dialog/index.tsx';
import { Alert } from '../../../components/ui/alert.tsx';
import { LabelledCheckbox } from '../../../components/ui/checkbox.tsx';
import { changeRole, createRole, reloadRoles } from '../api/roles.ts';
import { ABILITY_WORDS } from './abilities.ts';
import { RouteTree } from './RouteTree.tsx';

export interface RoleDialogProps {
  /** Undefined for a new role. */
  role?: RoleView;
  onClose: () => void;
}

export function RoleDialog({ role, onClose }: RoleDialogProps) {
  const queries = useQueryClient();
  const [storedRole] = useState(role);
  const [routes, setRoutes] = useState(storedRole?.routes ?? []);
  const [abilities, setAbilities] = useState<readonly Ability[]>((storedRole?.abilities ?? []) as readonly Ability[]);
  const isAdministratorRole = storedRole?.id === ADMINISTRATOR_ROLE_ID;

  async function save(values: CreateRole) {
    const { name, description } = values;
    if (storedRole === undefined) await createRole(values);
    else await changeRole(storedRole.id, storedRole.revision, isAdministratorRole ? { name, description } : values);
    await reloadRoles(queries);
    return undefined;
  }

  return (
    <NameDialog
      noun="role"
      description="A role determines which pages a user can open, and what they can do outside of collections. Collections grant access to the data."
      stored={storedRole}
      otherValues={{ routes, abilities: [...abilities] }}
      hasOtherChanges={
        haveDifferences(routes, storedRole?.routes ?? []) || haveDifferences(abilities, storedRole?.abilities ?? [])
      }
      schema={CreateRole}
      save={save}
      onClose={onClose}
      notice={(changed) => (
        <>
          {isAdministratorRole && (
            <Alert tone="info">
              Administrators can open every page and do everything. Only the name and the description of this role can
              change.
            </Alert>
          )}
          {!isAdministratorRole && storedRole !== undefined && storedRole.userCount > 0 && changed && (
            <Alert tone="warning">
              {storedRole.userCount === 1 ? '1 user has' : `${storedRole.userCount} users have`} this role: the change
              takes effect with their next request.
            </Alert>
          )}
        </>
      )}
    >
      {() => (
        <>
          <RouteTree routes={routes} onChange={setRoutes} grantsAll={isAdministratorRole} />
          <fieldset className="flex flex-col gap-1.5">
            <legend className="mb-1 font-medium text-sm">Abilities</legend>
            {ABILITIES.map((ability) => (
              <LabelledCheckbox
                key={ability}
                label={ABILITY_WORDS[ability]}
                disabled={isAdministratorRole}
                checked={isAdministratorRole || abilities.includes(ability)}
                onCheckedChange={(ticked) => setAbilities(withAbility(abilities, ability, ticked === true))}
              />
            ))}
          </fieldset>
        </>
      )}
    </NameDialog>
  );
}

const withAbility = (abilities: readonly Ability[], ability: Ability, ticked: boolean) =>
  ABILITIES.filter((each) => (each === ability ? ticked : abilities.includes(each)));

const haveDifferences = (left: readonly string[], right: readonly string[]) =>
  left.length !== right.length || left.some((each) => !right.includes(each));
