/** Registers crosswalks and relationships on both ends at creation and restoration; unregisters them at deletion. */
import { type ProductEvent, Refusal, streams } from '@rdm/contracts';
import type { Decision } from '../runtime/decision.ts';
import type { Execution } from '../runtime/execution.ts';
import type { StreamKind } from '../runtime/fold.ts';
import { kinds } from '../runtime/stream-kinds.ts';
import {
  type Referrer,
  referenceField,
  registerOnDataSet,
  unreferenceField,
  unregisterOnDataSet,
} from './dependants.ts';
import { requireNoPurge } from './legal-holds.ts';

/** An end of a crosswalk or relationship: a data set and a field of its type. */
export interface End {
  dataSetId: number;
  typeId: number;
  fieldId: number;
}

interface Definition {
  id: number;
  deleted: boolean;
  value: unknown;
}

/** How the definitions of a kind are stored, and which ends they have. */
export interface DefinitionKind<State extends Definition, E extends ProductEvent> {
  referrer: Referrer['kind'];
  streamKind: StreamKind<State | undefined, E>;
  stream: (id: number) => string;
  /** The data set and the field of the source, then of the target. */
  endFieldsOf: (value: State['value']) => readonly (readonly [dataSetId: number, fieldId: number])[];
}

/** Loads the source and the target of a definition, in this order. */
export async function endsOf<State extends Definition, E extends ProductEvent>(
  x: Execution,
  kind: DefinitionKind<State, E>,
  value: State['value'],
): Promise<End[]> {
  const endFields = kind.endFieldsOf(value);
  const dataSets = await Promise.all(endFields.map(([dataSetId]) => x.load(kinds.dataSet, streams.dataSet(dataSetId))));
  return endFields.map(([dataSetId, fieldId], index) => ({
    dataSetId,
    typeId: dataSets[index]?.state?.typeId ?? 0,
    fieldId,
  }));
}

export async function registerEnds(x: Execution, by: Referrer, ends: readonly End[]): Promise<void> {
  for (const end of ends) {
    await x.change(kinds.dataSet, streams.dataSet(end.dataSetId), [end.dataSetId], (dataSet) =>
      registerOnDataSet(dataSet, by),
    );
    await x.change(kinds.referenceType, streams.referenceType(end.typeId), [], (type) =>
      referenceField(type, end.fieldId, by),
    );
  }
}

async function unregisterEnds(x: Execution, by: Referrer, ends: readonly End[]): Promise<void> {
  for (const end of ends) {
    await x.change(kinds.dataSet, streams.dataSet(end.dataSetId), [end.dataSetId], (dataSet) =>
      unregisterOnDataSet(dataSet, by),
    );
    await x.change(kinds.referenceType, streams.referenceType(end.typeId), [], (type) =>
      unreferenceField(type, end.fieldId, by),
    );
  }
}

/**
 * Registers a definition on its ends, and then creates the definition. After a refusal, unregisters a definition that
 * does not exist or is deleted. One that does not exist is marked as abandoned, so that a repeated command cannot
 * create it.
 */
export async function createWithEnds<State extends Definition, E extends ProductEvent>(
  x: Execution,
  kind: DefinitionKind<State, E>,
  id: number,
  ends: readonly End[],
  define: (state: State | undefined) => Decision<E>,
  abandon: (state: State | undefined) => Decision<E, { abandoned: boolean }>,
): Promise<void> {
  const by = { kind: kind.referrer, id };
  const governedBy = ends.map(({ dataSetId }) => dataSetId);
  try {
    await registerEnds(x, by, ends);
    await x.change(kind.streamKind, kind.stream(id), governedBy, define);
  } catch (error) {
    if (error instanceof Refusal) {
      const { abandoned } = await x.change(kind.streamKind, kind.stream(id), governedBy, abandon);
      if (abandoned) await unregisterEnds(x, by, ends);
    }
    throw error;
  }
}

/**
 * Makes a decision that may restore or delete a definition. Registers a restored definition on both ends, and
 * unregisters after a deletion or a refused restoration. Throws if a restored definition is being purged or has a
 * deleted end.
 */
export async function changeWithEnds<State extends Definition, E extends ProductEvent, Result>(
  x: Execution,
  kind: DefinitionKind<State, E>,
  { id, value }: State,
  isRestored: boolean,
  decide: () => Promise<Result>,
): Promise<Result> {
  const by = { kind: kind.referrer, id };
  if (isRestored) await requireNoPurge(x, kind.referrer, id);
  const restoredEnds = isRestored ? await endsOf(x, kind, value) : undefined;
  const unregisterIfDeleted = async () => {
    const { state } = await x.load(kind.streamKind, kind.stream(id));
    if (state?.deleted) await unregisterEnds(x, by, restoredEnds ?? (await endsOf(x, kind, state.value)));
  };
  try {
    if (restoredEnds) await registerEnds(x, by, restoredEnds);
    const result = await decide();
    await unregisterIfDeleted();
    return result;
  } catch (error) {
    if (restoredEnds && error instanceof Refusal) await unregisterIfDeleted();
    throw error;
  }
}
