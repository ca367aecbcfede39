/** Routes of groups; a permission that is granted to a group applies to all its members. */

import { ChangeGroup, CreateGroup, GroupMembers } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { createNamed, releaseName, rename } from '../invariants/unique-names.ts';
import { ChangeAnswer } from '../runtime/answer-schemas.ts';
import { commandRoutes } from '../runtime/command-routes.ts';
import { type Commands, command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { expectedRevisionOf } from '../runtime/expected-revision.ts';
import { accessAfter, changeAccess } from './access-decision.ts';
import { changeGroup, createGroup, deleteGroup, setMembers } from './decider.ts';

const revisionOf = (x: Execution, id: number) => accessAfter(x).groups.get(id)?.revision ?? 0;

const create = command<{ body: CreateGroup }>('CreateGroup', async (x, { body }) => {
  const id = await x.allocateOne('group_ids');
  await createNamed(x, 'groups', body.name, id, () => changeAccess(x, (access) => createGroup(access, id, body)));
  return { status: 201, body: { id, name: body.name, revision: 1 } };
});

// Stored commands call the expected revision `seen`.
const change = command<{ id: number; body: ChangeGroup; seen?: number }>(
  'ChangeGroup',
  async (x, { id, body, seen: expectedRevision }) => {
    const { revision } = await rename(x, 'groups', body.name, id, async () => ({
      ...(await changeAccess(x, (access) => changeGroup(access, id, body, expectedRevision))),
      revision: revisionOf(x, id),
    }));
    return { body: { id, revision } };
  },
);

const remove = command<{ id: number; seen?: number }>('DeleteGroup', async (x, { id, seen: expectedRevision }) => {
  const { name } = await changeAccess(x, (access) => deleteGroup(access, id, expectedRevision));
  await releaseName(x, 'groups', name, id);
  return { body: { id } };
});

const setMemberList = command<{ id: number; userIds: number[]; seen?: number }>(
  'SetGroupMembers',
  async (x, { id, userIds, seen: expectedRevision }) => {
    await changeAccess(x, (access) => setMembers(access, id, userIds, expectedRevision));
    return { body: { id, revision: revisionOf(x, id) } };
  },
);

export function groupRoutes(commands: Commands): Route[] {
  commands.register([create, change, remove, setMemberList]);
  const administrator = { administrator: true } as const;
  const routes = commandRoutes(commands);
  return [
    routes.create('/api/groups', administrator, CreateGroup, create, {
      summary: 'Create a group',
      example: { body: { name: 'Finance' } },
      errors: ['NAME_TAKEN'],
    }),
    routes.change('patch', '/api/groups/:id', administrator, ChangeGroup, change, {
      summary: 'Change a group',
      example: { body: { description: 'Stewards of the finance department' } },
      errors: ['NAME_TAKEN'],
    }),
    routes.remove('/api/groups/:id', administrator, remove, { summary: 'Delete a group' }),
    route(
      'put',
      '/api/groups/:id/members',
      administrator,
      {
        summary: 'Set the members of a group',
        example: { body: { userIds: [2, 3] } },
        answers: { 200: ChangeAnswer },
        body: GroupMembers,
      },
      (request) =>
        commands.handle(setMemberList, request, {
          id: idParam(request),
          ...request.body,
          ...expectedRevisionOf(request),
        }),
    ),
  ];
}
