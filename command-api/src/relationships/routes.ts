/** Relationship definitions over HTTP. */
import { DefineRelationship, Refusal, type RelationshipDefinition, streams } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { dataSetFor } from '../authorise.ts';
import { type Commands, command } from '../commands.ts';
import { type End, existing, fieldNamed, registerEnds, unregisterEnds } from '../dependants.ts';
import type { Execution } from '../execution.ts';
import { kinds } from '../kinds.ts';
import { abandonRelationship, defineRelationship, deleteRelationship } from './decider.ts';

async function end(x: Execution, dataSetId: number, field: string, needed?: 'READ'): Promise<End> {
  const dataSet = await dataSetFor(x, dataSetId, needed);
  const type = existing((await x.load(kinds.referenceType, streams.referenceType(dataSet.typeId))).state);
  return { dataSetId, typeId: dataSet.typeId, fieldId: fieldNamed(type, field).fieldId };
}

const define = command<{ body: DefineRelationship }>('DefineRelationship', async (x, { body }) => {
  const id = await x.allocateOne('relationship_ids');
  const { sourceField, targetField, ...rest } = body;
  let ends: End[] | undefined;
  try {
    const source = await end(x, body.sourceDataSetId, sourceField);
    const target = await end(x, body.targetDataSetId, targetField, 'READ');
    const definition: RelationshipDefinition = {
      ...rest,
      id,
      sourceFieldId: source.fieldId,
      targetFieldId: target.fieldId,
    };
    ends = [source, target];
    await registerEnds(x, { kind: 'relationship', id }, ends);
    await x.change(kinds.relationship, streams.relationship(id), governs(body), (state) =>
      defineRelationship(state, definition),
    );
  } catch (error) {
    if (error instanceof Refusal && ends) await free(x, id, body, ends);
    throw error;
  }
  return { status: 201, body: { id, name: body.name, revision: 1 } };
});

const governs = (said: { sourceDataSetId: number; targetDataSetId: number }) => [
  said.sourceDataSetId,
  said.targetDataSetId,
];

async function free(x: Execution, id: number, body: DefineRelationship, ends: End[]): Promise<void> {
  const { sourceDataSetId, targetDataSetId } = body;
  const { abandoned } = await x.change(kinds.relationship, streams.relationship(id), governs(body), (state) =>
    abandonRelationship(state, { id, sourceDataSetId, targetDataSetId }),
  );
  if (abandoned) await unregisterEnds(x, { kind: 'relationship', id }, ends);
}

const remove = command<{ id: number; seen?: number }>('DeleteRelationship', async (x, { id, seen }) => {
  const { state } = await x.load(kinds.relationship, streams.relationship(id));
  if (!state) throw new Refusal('NOT_FOUND', 'This relationship does not exist');
  if (!state.deleted) {
    await dataSetFor(x, state.value.sourceDataSetId);
    await dataSetFor(x, state.value.targetDataSetId, 'READ');
  }
  await x.change(kinds.relationship, streams.relationship(id), governs(state.value), (current) =>
    deleteRelationship(current, seen),
  );
  await unregisterEnds(x, { kind: 'relationship', id }, await endsOf(x, state.value));
  return { body: { id } };
});

async function endsOf(x: Execution, relationship: RelationshipDefinition): Promise<End[]> {
  const one = async (dataSetId: number, fieldId: number): Promise<End> => {
    const { state } = await x.load(kinds.dataSet, streams.dataSet(dataSetId));
    return { dataSetId, typeId: state?.typeId ?? 0, fieldId };
  };
  return [
    await one(relationship.sourceDataSetId, relationship.sourceFieldId),
    await one(relationship.targetDataSetId, relationship.targetFieldId),
  ];
}

export function relationshipRoutes(commands: Commands): Route[] {
  commands.register([define, remove]);
  return [
    route('post', '/api/relationships', { level: 'WRITE' }, { body: DefineRelationship }, (request) =>
      commands.handle(define, request, { body: request.body }),
    ),
    route('delete', '/api/relationships/:id', { level: 'ADMIN' }, {}, (request) =>
      commands.handle(remove, request, {
        id: idParam(request),
        ...(request.ifMatch === undefined ? {} : { seen: request.ifMatch }),
      }),
    ),
  ];
}
