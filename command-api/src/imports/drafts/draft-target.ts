/** Loads the target of a draft, resolves the draft against it, and plans the check of its rows. */
import {
  activeFields,
  type DataSet,
  type DraftTarget,
  type FileProfile,
  isOfReviewedRows,
  type ReferenceType,
  Refusal,
  type ResolvedDraft,
  resolveDraft,
  type StagedFileView,
  streams,
  type TargetFields,
  type TypeField,
} from '@rdm/contracts';
import type { StoredDraft } from '@rdm/platform';
import { requireType } from '../../invariants/dependants.ts';
import { kinds } from '../../runtime/stream-kinds.ts';
import type { Streams } from '../../runtime/streams.ts';
import type { ImportPlan } from '../validation/row-validation.ts';

export interface LoadedTarget {
  /** Undefined unless the target is an existing data set. */
  dataSet?: DataSet;
  /** The type of the target data set; undefined if the import creates the type or the target is no data set. */
  type?: ReferenceType;
}

/** An existing or new data set that gets the rows. */
export type RowsTarget = Exclude<DraftTarget, { kind: 'crosswalk' | 'relationship' }>;

/** A draft whose file has been read, resolved against its target. */
export interface ReadyDraft extends LoadedTarget {
  profile: FileProfile;
  target: RowsTarget;
  resolved: ResolvedDraft;
  plan: ImportPlan;
  keyFieldIds: readonly number[];
  schemaRevision: number;
}

const fieldsOf = ({ dataSet, type }: LoadedTarget): TargetFields | undefined =>
  type && {
    fields: activeFields(type),
    keyFieldIds:
      dataSet?.keyFieldIds ?? activeFields(type).flatMap((field) => (field.isPrimaryKey ? [field.fieldId] : [])),
  };

/**
 * Resolves a draft of rows of a data set. Throws if the target is a crosswalk or relationship, the file is unread or
 * unreadable, or a question is unanswered.
 */
export function requireReadyDraft(draft: StoredDraft, target: LoadedTarget): ReadyDraft {
  const { profile, settings, fileName, state } = draft;
  if (isOfReviewedRows(settings.target)) {
    const page =
      settings.target.kind === 'crosswalk' ? 'the mappings of the crosswalk' : 'the values of the relationship';
    throw new Refusal('INVALID', `This file is imported on the page of ${page}, with the same file id`);
  }
  if (state === 'REFUSED') throw new Refusal('CONFLICT', draft.refusal ?? 'The file cannot be read');
  if (state === 'READING' || !profile) throw new Refusal('CONFLICT', 'The file is still being read: wait a moment');
  const targetFields = fieldsOf(target);
  const resolved = resolveDraft(profile, settings, fileName, targetFields);
  const [openPoint] = resolved.open;
  if (openPoint !== undefined) {
    throw new Refusal('INVALID', openPoint, { questions: resolved.questions.filter(({ answer }) => answer === null) });
  }
  const fields = targetFields ? activeFields(target.type as ReferenceType) : newFields(resolved);
  const keyFieldIds =
    targetFields?.keyFieldIds ?? fields.flatMap((field) => (field.isPrimaryKey ? [field.fieldId] : []));
  return {
    ...target,
    profile,
    target: resolved.target as RowsTarget,
    resolved,
    plan: { ...planOf(resolved, fields, keyFieldIds), hasNoApostrophes: profile.format !== 'text' },
    keyFieldIds,
    schemaRevision: target.type?.schemaRevision ?? 1,
  };
}

/** Returns the view of a draft's file in the form of a file that was uploaded for the data set. */
export function targetFileOf(
  { id, fileName, size, hash }: StoredDraft,
  { profile, plan }: ReadyDraft,
  dataSetId: number,
): StagedFileView {
  const { delimiter = ',', encoding = 'utf-8', headerRow } = profile.read;
  return {
    ...{ id, dataSetId, fileName, size, hash, format: 'csv', delimiter, encoding, hasHeader: headerRow !== 0 },
    columns: [...plan.columns],
    suggestedColumns: Object.fromEntries(plan.mapped.map(({ name, field }) => [name, field.fieldId])),
    sample: [],
  };
}

/** The fields of the new type, numbered as `defineType` will number them. */
const newFields = ({ columns }: ResolvedDraft): TypeField[] =>
  columns
    .filter(({ field }) => field !== null)
    .map(({ field, dataType, isKey }, index) => ({
      fieldId: index + 1,
      name: field?.name ?? '',
      dataType,
      isPrimaryKey: isKey,
      retired: false,
      referencedBy: [],
    }));

function planOf({ columns }: ResolvedDraft, fields: readonly TypeField[], keyFieldIds: readonly number[]): ImportPlan {
  const byId = new Map(fields.map((field) => [field.fieldId, field]));
  let newFieldId = 0;
  const mapped = columns.flatMap(({ index, name, field, format }) => {
    if (!field) return [];
    const typeField = byId.get(field.fieldId ?? ++newFieldId);
    return typeField ? [{ index, name, field: typeField, format }] : [];
  });
  return {
    columns: columns.map(({ name }) => name),
    mapped,
    keyAt: keyFieldIds.map((fieldId) => mapped.findIndex(({ field }) => field.fieldId === fieldId)),
  };
}

/** Loads the states of streams; implemented by `Execution` and by `Streams`. */
type Loader = Pick<Streams, 'load'>;

/** Loads the target without checking rights. */
export async function loadTarget(loader: Loader, target: DraftTarget | undefined): Promise<LoadedTarget> {
  if (target?.kind === 'dataSet') {
    const { state: dataSet } = await loader.load(kinds.dataSet, streams.dataSet(target.dataSetId));
    if (!dataSet || dataSet.deleted) throw new Refusal('NOT_FOUND', 'This data set does not exist');
    return { dataSet, type: await loadType(loader, dataSet.typeId) };
  }
  return target?.kind !== 'newDataSet' || target.typeId === undefined
    ? {}
    : { type: await loadType(loader, target.typeId) };
}

const loadType = async (loader: Loader, id: number): Promise<ReferenceType> =>
  requireType((await loader.load(kinds.referenceType, streams.referenceType(id))).state);
