/** Routes of roles. A role has a name, the pages that its users can open, and abilities. */
import { ChangeRole, CreateRole } from '@rdm/contracts';
import type { Route } from '@rdm/platform';
import { createNamed, releaseName, rename } from '../invariants/unique-names.ts';
import { commandRoutes } from '../runtime/command-routes.ts';
import { type Commands, command } from '../runtime/commands.ts';
import { accessAfter, changeAccess } from './access-decision.ts';
import { changeRole, defineRole, deleteRole } from './decider.ts';

const create = command<{ body: CreateRole }>('CreateRole', async (x, { body }) => {
  const id = await x.allocateOne('role_ids');
  await createNamed(x, 'roles', body.name, id, () => changeAccess(x, (access) => defineRole(access, id, body)));
  return { status: 201, body: { id, name: body.name, revision: 1 } };
});

// Stored commands call the expected revision `seen`.
const change = command<{ id: number; body: ChangeRole; seen?: number }>(
  'ChangeRole',
  async (x, { id, body, seen: expectedRevision }) => {
    const { revision } = await rename(x, 'roles', body.name, id, async () => ({
      ...(await changeAccess(x, (access) => changeRole(access, id, body, expectedRevision))),
      revision: accessAfter(x).roles.get(id)?.revision ?? 0,
    }));
    return { body: { id, revision } };
  },
);

const remove = command<{ id: number; seen?: number }>('DeleteRole', async (x, { id, seen: expectedRevision }) => {
  const { name } = await changeAccess(x, (access) => deleteRole(access, id, expectedRevision));
  await releaseName(x, 'roles', name, id);
  return { body: { id } };
});

export function roleRoutes(commands: Commands): Route[] {
  commands.register([create, change, remove]);
  const administrator = { administrator: true } as const;
  const routes = commandRoutes(commands);
  return [
    routes.create('/api/roles', administrator, CreateRole, create, {
      summary: 'Create a role',
      example: { body: { name: 'Reader', routes: ['/collections', '/crosswalks'], abilities: [] } },
      errors: ['NAME_TAKEN'],
    }),
    routes.change('patch', '/api/roles/:id', administrator, ChangeRole, change, {
      summary: 'Change a role',
      example: { body: { description: 'Reads code lists' } },
      errors: ['NAME_TAKEN'],
    }),
    routes.remove('/api/roles/:id', administrator, remove, { summary: 'Delete a role', errors: ['ROLE_IN_USE'] }),
  ];
}
