/** Routes of collections: details, data sets and permissions. */

import {
  ACCESS_STREAM,
  type AccessEvent,
  type AccessState,
  ChangeCollection,
  CollectionItems,
  CollectionPermissions,
  CreateCollection,
  type Grant,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { addItems, removeItems } from '../invariants/collection-items.ts';
import { createNamed, releaseName, rename } from '../invariants/unique-names.ts';
import { ChangeAnswer } from '../runtime/answer-schemas.ts';
import { dataSetFor, requireCollectionLevel } from '../runtime/authorise.ts';
import { commandRoutes } from '../runtime/command-routes.ts';
import { type Commands, command } from '../runtime/commands.ts';
import type { Decision } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';
import { expectedRevisionOf } from '../runtime/expected-revision.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { changeCollection, createCollection, deleteCollection, requiringLevel, setPermissions } from './decider.ts';

const administer = async <Result>(
  x: Execution,
  id: number,
  dataSetIds: readonly number[],
  decide: (access: AccessState) => Decision<AccessEvent, Result>,
) => x.change(kinds.access, ACCESS_STREAM, dataSetIds, requiringLevel(x.level, await x.actor(), id, decide));

/**
 * Returns the answer of a command on a collection. Call it directly after the change: after another await, the access
 * state may contain later events.
 */
function answer(x: Execution, id: number, status = 200) {
  const collection = x.after(kinds.access, ACCESS_STREAM).collections.get(id);
  return { status, body: { id, name: collection?.name ?? '', revision: collection?.revision ?? 0 } };
}

/** Creates a collection that the actor owns, and returns its id. */
export async function createCollectionIn(x: Execution, body: CreateCollection): Promise<number> {
  const collectionId = await x.allocateOne('collection_ids');
  await createNamed(x, 'collections', body.name, collectionId, () =>
    x.change(kinds.access, ACCESS_STREAM, [], (access) =>
      createCollection(access, { ...body, collectionId, ownerId: x.actorId }),
    ),
  );
  return collectionId;
}

const create = command<{ body: CreateCollection }>('CreateCollection', async (x, { body }) =>
  answer(x, await createCollectionIn(x, body), 201),
);

// Stored commands call the expected revision `seen`.
const change = command<{ id: number; body: ChangeCollection; seen?: number }>(
  'ChangeCollection',
  async (x, { id, body, seen: expectedRevision }) => {
    await requireCollectionLevel(x, id);
    const { answered } = await rename(x, 'collections', body.name, id, async () => ({
      ...(await administer(x, id, [], (access) => changeCollection(access, id, body, expectedRevision))),
      answered: answer(x, id),
    }));
    return answered;
  },
);

const remove = command<{ id: number; seen?: number }>('DeleteCollection', async (x, { id, seen: expectedRevision }) => {
  const current = (await x.access.current()).collections.get(id);
  if (!current?.deleted) await requireCollectionLevel(x, id);
  const { name } = await administer(x, id, [...(current?.dataSetIds ?? [])], (access) =>
    deleteCollection(access, id, expectedRevision),
  );
  const answered = answer(x, id);
  await releaseName(x, 'collections', name, id);
  return answered;
});

/**
 * Requires ADMIN on both the collection and the data sets. Otherwise a user could get ADMIN on a data set by adding it
 * to their own collection.
 */
const add = command<{ id: number; dataSetIds: number[] }>('AddToCollection', async (x, { id, dataSetIds }) => {
  await requireCollectionLevel(x, id);
  for (const dataSetId of dataSetIds) await dataSetFor(x, dataSetId);
  await administer(x, id, dataSetIds, (access) => addItems(access, id, dataSetIds));
  return answer(x, id);
});

const removeFromCollection = command<{ id: number; dataSetIds: number[] }>(
  'RemoveFromCollection',
  async (x, { id, dataSetIds }) => {
    await requireCollectionLevel(x, id);
    for (const dataSetId of dataSetIds) await dataSetFor(x, dataSetId);
    await administer(x, id, dataSetIds, (access) => removeItems(access, id, dataSetIds));
    return answer(x, id);
  },
);

const setPermissionsCommand = command<{ id: number; permissions: Grant[]; seen?: number }>(
  'SetCollectionPermissions',
  async (x, { id, permissions, seen: expectedRevision }) => {
    await requireCollectionLevel(x, id);
    await administer(x, id, [], (access) => setPermissions(access, id, permissions, expectedRevision));
    return answer(x, id);
  },
);

export function collectionRoutes(commands: Commands): Route[] {
  commands.register([create, change, remove, add, removeFromCollection, setPermissionsCommand]);
  const admin = { level: 'ADMIN' } as const;
  const routes = commandRoutes(commands);
  return [
    routes.create('/api/collections', { ability: 'collections.create' }, CreateCollection, create, {
      summary: 'Create a collection',
      example: { body: { name: 'Procurement', description: 'Code lists of the procurement department' } },
      errors: ['NAME_TAKEN'],
    }),
    routes.change('patch', '/api/collections/:id', admin, ChangeCollection, change, {
      summary: 'Change a collection',
      example: { body: { description: 'Code lists that all departments use' } },
      errors: ['NAME_TAKEN'],
    }),
    routes.remove('/api/collections/:id', admin, remove, { summary: 'Delete a collection' }),
    route(
      'post',
      '/api/collections/:id/items',
      admin,
      {
        summary: 'Add data sets to a collection',
        example: { body: { dataSetIds: [1] } },
        answers: { 200: ChangeAnswer },
        body: CollectionItems,
      },
      (request) => commands.handle(add, request, { id: idParam(request), ...request.body }),
    ),
    route(
      'delete',
      '/api/collections/:id/items',
      admin,
      {
        summary: 'Remove data sets from a collection',
        example: { body: { dataSetIds: [1] } },
        answers: { 200: ChangeAnswer },
        body: CollectionItems,
      },
      (request) => commands.handle(removeFromCollection, request, { id: idParam(request), ...request.body }),
    ),
    route(
      'put',
      '/api/collections/:id/permissions',
      admin,
      {
        summary: 'Set the permissions of a collection',
        example: { body: { permissions: [{ entityType: 'user', entityId: 2, permissionLevel: 'WRITE' }] } },
        answers: { 200: ChangeAnswer },
        body: CollectionPermissions,
      },
      (request) =>
        commands.handle(setPermissionsCommand, request, {
          id: idParam(request),
          ...request.body,
          ...expectedRevisionOf(request),
        }),
    ),
  ];
}
