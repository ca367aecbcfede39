/** Routes of reference types. */
import { ChangeReferenceType, ChangeSchema, DefineReferenceType, streams } from '@rdm/contracts';
import type { Route } from '@rdm/platform';
import { createNamed, releaseName, rename } from '../invariants/unique-names.ts';
import { commandRoutes } from '../runtime/command-routes.ts';
import { type Commands, command } from '../runtime/commands.ts';
import type { Execution } from '../runtime/execution.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import { changeDetails, changeSchema, defineType, deleteType } from './decider.ts';

/** The id, name and revision of a type after the command. */
function answer(x: Execution, id: number, status = 200) {
  const state = x.after(kinds.referenceType, streams.referenceType(id));
  return { status, body: { id, name: state?.name ?? '', revision: state?.revision ?? 0 } };
}

/** Defines a type and returns the id. Throws NAME_TAKEN if another type has the name. */
export async function defineTypeIn(x: Execution, body: DefineReferenceType): Promise<number> {
  const id = await x.allocateOne('reference_type_ids');
  await createNamed(x, 'types', body.name, id, () =>
    x.change(kinds.referenceType, streams.referenceType(id), [], (type) => defineType(type, { ...body, id })),
  );
  return id;
}

const define = command<{ body: DefineReferenceType }>('DefineReferenceType', async (x, { body }) =>
  answer(x, await defineTypeIn(x, body), 201),
);

// Stored commands call the expected revision `seen`.
const change = command<{ id: number; body: ChangeReferenceType; seen?: number }>(
  'ChangeReferenceType',
  async (x, { id, body, seen: expectedRevision }) => {
    await rename(x, 'types', body.name, id, () =>
      x.change(kinds.referenceType, streams.referenceType(id), [], (type) =>
        changeDetails(type, body, expectedRevision),
      ),
    );
    return answer(x, id);
  },
);

const changeFields = command<{ id: number; body: ChangeSchema; seen?: number }>(
  'ChangeSchema',
  async (x, { id, body, seen: expectedRevision }) => {
    await x.change(kinds.referenceType, streams.referenceType(id), [], (type) =>
      changeSchema(type, body, expectedRevision),
    );
    return answer(x, id);
  },
);

export async function deleteTypeIn(x: Execution, id: number, expectedRevision?: number): Promise<void> {
  const { name } = await x.change(kinds.referenceType, streams.referenceType(id), [], (type) =>
    deleteType(type, expectedRevision),
  );
  await releaseName(x, 'types', name, id);
}

const remove = command<{ id: number; seen?: number }>(
  'DeleteReferenceType',
  async (x, { id, seen: expectedRevision }) => {
    await deleteTypeIn(x, id, expectedRevision);
    return answer(x, id);
  },
);

const WRITE = { ability: 'types.write' } as const;
export function referenceTypeRoutes(commands: Commands): Route[] {
  commands.register([define, change, changeFields, remove]);
  const routes = commandRoutes(commands);
  return [
    routes.create('/api/reference-types', WRITE, DefineReferenceType, define, {
      summary: 'Create a reference type',
      example: {
        body: {
          name: 'Unit of measure',
          schemas: [
            { name: 'code', dataType: 'string', isPrimaryKey: true },
            { name: 'name', dataType: 'string' },
          ],
        },
      },
      errors: ['NAME_TAKEN'],
    }),
    routes.change('patch', '/api/reference-types/:id', WRITE, ChangeReferenceType, change, {
      summary: 'Change the name or the description of a reference type',
      example: { body: { description: 'Codes of ISO 3166' } },
      errors: ['NAME_TAKEN'],
    }),
    routes.change('put', '/api/reference-types/:id/schemas', WRITE, ChangeSchema, changeFields, {
      summary: 'Set the fields of a reference type',
      example: {
        body: {
          schemas: [
            { name: 'code', dataType: 'string', isPrimaryKey: true },
            { name: 'name', dataType: 'string' },
          ],
        },
      },
      errors: ['FIELD_LOCKED'],
    }),
    routes.remove('/api/reference-types/:id', WRITE, remove, {
      summary: 'Delete a reference type',
      errors: ['TYPE_IN_USE'],
    }),
  ];
}
