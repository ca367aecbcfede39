/** Routes of import drafts: the drafts of the caller, the problems of a draft, and the targets that fit its file. */
import {
  ACTIVE_DRAFTS_MAX,
  AsOf,
  canonicalKey,
  comparableName,
  DRAFT_DAYS,
  DraftProblemRecord,
  DraftProblems,
  type DraftTarget,
  DraftTargetProposal,
  type FileProfile,
  ImportDraftItem,
  nameOfFile,
  Refusal,
  readCellValue,
  type TypeField,
  WORDS,
} from '@rdm/contracts';
import { type ApiRequest, DRAFT_COLUMNS, type Route, route, type StoredDraft } from '@rdm/platform';
import { z } from 'zod';
import { type Viewer, viewerOf } from '../access/viewer.ts';
import type { QueryContext } from '../query-context.ts';
import { answer, type Tables } from '../read-models/read-models.ts';
import { join, oneOfIndexedTexts, rawSql, type Sql, sql } from '../read-models/sql.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads a draft; throws NOT_FOUND if the draft does not exist or belongs to another user. */
async function readOwnDraft(
  { readModels }: Pick<QueryContext, 'readModels'>,
  request: Pick<ApiRequest, 'params' | 'principal'> & { query: unknown },
) {
  const draft = await findOwnDraft({ readModels }, request);
  if (!draft) throw new Refusal('NOT_FOUND', WORDS.uploadGone);
  return draft;
}

/** Returns the draft if it exists and belongs to the user; throws NOT_FOUND if the id is no UUID. */
export async function findOwnDraft(
  { readModels }: Pick<QueryContext, 'readModels'>,
  { params, principal }: Pick<ApiRequest, 'params' | 'principal'>,
): Promise<StoredDraft | undefined> {
  const id = params['id'] ?? '';
  if (!UUID.test(id)) throw new Refusal('NOT_FOUND', 'Not found');
  const { rows } = await readModels.read<StoredDraft>(
    {},
    () => sql`SELECT ${rawSql(DRAFT_COLUMNS)} FROM command.import_drafts d JOIN command.staged_files f ON f.id = d.id
      WHERE d.id = ${id}::uuid AND d.owner_id = ${principal.userId}`,
  );
  return rows[0];
}

const DRAFT = { id: { operation: 'POST /api/imports', example: 'a draft', property: 'id' } } as const;

const ProblemRecords = z.object({
  items: z.array(DraftProblemRecord),
  total: z.number(),
  page: z.number(),
  pageSize: z.number(),
});

const ProblemRecordsQuery = z.object({
  asOf: AsOf,
  page: z.coerce.number().int().min(1).default(1).describe('The page, from 1.'),
  pageSize: z.coerce.number().int().min(1).max(500).default(100).describe('The number of records on a page.'),
});

export const draftRoutes = (context: QueryContext): Route[] => {
  const { readModels } = context;
  return [
    route(
      'get',
      '/api/imports',
      { signedIn: true },
      {
        summary: 'List the import drafts of the caller, the last changed first',
        hasPast: false,
        answers: { 200: z.array(ImportDraftItem) },
      },
      async (request) => {
        const { principal } = request;
        const found = await readModels.read<ImportDraftItem>(
          {},
          () => sql`SELECT d.id, d.state, f.file_name AS "fileName", f.size, (d.profile ->> 'records')::bigint AS records,
              d.changed_at AS "updatedAt", d.changed_at + ${DRAFT_DAYS} * interval '1 day' AS "expiresAt"
            FROM command.import_drafts d JOIN command.staged_files f ON f.id = d.id
           WHERE d.owner_id = ${principal.userId} AND d.job_id IS NULL
           ORDER BY d.changed_at DESC LIMIT ${ACTIVE_DRAFTS_MAX}`,
        );
        return answer(found, found.rows);
      },
    ),

    route(
      'get',
      '/api/imports/:id/targets',
      { signedIn: true },
      {
        summary: 'List the data sets, types, crosswalks and relationships that fit a draft, the best first',
        hasPast: false,
        example: { from: DRAFT },
        answers: { 200: z.array(DraftTargetProposal) },
      },
      async (request) => {
        const { profile, fileName } = await readOwnDraft(context, request);
        // A file has no profile while it is being read, and after it was refused.
        if (!profile) return { body: [] };
        const viewer = viewerOf(request);
        const headers = JSON.stringify(profile.columns.map(({ name }) => name));
        const dataSets = await readModels.read<Candidate>(
          {},
          (tables) => sql`SELECT d.id AS "dataSetId", d.name, t.id AS "typeId", t.fields,
              d.key_field_ids AS "keyFieldIds",
              EXISTS (SELECT FROM command.import_memories m WHERE m.data_set_id = d.id AND m.headers = ${headers}) AS "isRemembered"
            FROM ${tables('reference_data_sets')} d JOIN ${tables('reference_data_types')} t ON t.id = d.type_id
           WHERE ${viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`, 'WRITE')}
           ORDER BY d.updated_at DESC LIMIT ${CANDIDATES_MAX}`,
        );
        const types = await readModels.read<Candidate>(
          {},
          (tables) => sql`SELECT NULL::bigint AS "dataSetId", t.name, t.id AS "typeId", t.fields,
              ARRAY(SELECT (f ->> 'fieldId')::bigint FROM jsonb_array_elements(t.fields) f
                     WHERE (f ->> 'isPrimaryKey')::boolean) AS "keyFieldIds",
              false AS "isRemembered"
            FROM ${tables('reference_data_types')} t ORDER BY t.updated_at DESC LIMIT ${CANDIDATES_MAX}`,
        );
        const reviewed = await readModels.read<DefinitionCandidate>({}, (tables) =>
          reviewedTargets(tables, viewer, profile),
        );
        const fitting = fittingTargets(profile, fileName, [...dataSets.rows, ...types.rows]);
        const unrelated = await readModels.read<{ id: number }>({}, (tables) =>
          unrelatedDataSets(tables, profile, fitting),
        );
        return answer(dataSets, [
          ...reviewed.rows.map(proposalOf),
          ...rankTargets(fitting, new Set(unrelated.rows.map(({ id }) => id))),
        ]);
      },
    ),

    route(
      'get',
      '/api/imports/:id/problems',
      { signedIn: true },
      {
        summary: 'List the groups of problems that the last dry run of a draft found',
        hasPast: false,
        example: { from: DRAFT },
        answers: { 200: DraftProblems },
      },
      async (request) => {
        const { checkResult } = await readOwnDraft(context, request);
        return {
          body: {
            revision: checkResult?.revision ?? 0,
            records: checkResult?.invalidRecords ?? 0,
            groups: checkResult?.groups ?? [],
          },
        };
      },
    ),

    route(
      'get',
      '/api/imports/:id/problems/:group',
      { signedIn: true },
      {
        summary: 'List the records of a group of problems, or all records with errors, with all their cells',
        hasPast: false,
        example: { from: DRAFT, params: { group: 'all' } },
        answers: { 200: ProblemRecords },
        query: ProblemRecordsQuery,
      },
      async (request) => {
        const { id, checkJobId } = await readOwnDraft(context, request);
        const { page, pageSize } = request.query;
        const group = request.params['group'] ?? '';
        const found = await readModels.read<DraftProblemRecord & { total: number }>(
          {},
          () => sql`SELECT p.record, p.place, p.cells, p.problems, count(*) OVER () AS total
            FROM command.import_problems p
           WHERE p.draft_id = ${id}::uuid AND p.check_job_id = ${checkJobId}::bigint
             AND (${group} = 'all' AND p.is_error OR ${group} = ANY(p.group_ids))
           ORDER BY p.record LIMIT ${pageSize} OFFSET ${(page - 1) * pageSize}`,
        );
        const items = found.rows.map(({ total: _, ...item }) => item);
        return answer(found, { items, total: found.rows[0]?.total ?? 0, page, pageSize });
      },
    ),
  ];
};

/** Combinations of column names that identify files of mappings. */
const MAPPING_COLUMNS = [
  ['sourceValue', 'targetValue'],
  ['subject_id', 'object_id'],
];
/** Combinations of column names that identify files of relationship values. */
const VALUE_COLUMNS = [['sourceKey', 'targetKey']];
const DEFINITIONS_PROPOSED = 5;

interface DefinitionCandidate {
  kind: 'crosswalk' | 'relationship';
  id: number;
  name: string;
}

/**
 * The query for the last changed crosswalks and relationships with a source data set that the viewer may write. Omits a
 * kind if the file lacks the columns of this kind.
 */
function reviewedTargets(tables: Tables, viewer: Viewer, { columns }: Pick<FileProfile, 'columns'>): Sql {
  const names = new Set(columns.map(({ name }) => comparableName(name)));
  const hasColumns = (sets: string[][]) => sets.some((set) => set.every((name) => names.has(comparableName(name))));
  return sql`(SELECT 'crosswalk' AS kind, c.id, c.name FROM ${tables('crosswalk_mappings')} c
      JOIN ${tables('reference_data_sets')} d ON d.id = c.source_system_id
     WHERE ${hasColumns(MAPPING_COLUMNS)}::boolean AND NOT c.deleted
       AND ${viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`, 'WRITE')}
     ORDER BY c.updated_at DESC LIMIT ${DEFINITIONS_PROPOSED})
    UNION ALL (SELECT 'relationship', r.id, r.name FROM ${tables('relationships')} r
      JOIN ${tables('reference_data_sets')} d ON d.id = r.source_data_set_id
     WHERE ${hasColumns(VALUE_COLUMNS)}::boolean AND NOT r.deleted
       AND ${viewer.hasLevelOnDataSet(sql`d.id`, sql`d.created_by`, 'WRITE')}
     ORDER BY r.updated_at DESC LIMIT ${DEFINITIONS_PROPOSED})`;
}

const proposalOf = ({ kind, id, name }: DefinitionCandidate): DraftTargetProposal => ({
  target: kind === 'crosswalk' ? { kind, crosswalkId: id } : { kind, relationshipId: id },
  name,
  reason: `The file has the columns of ${kind === 'crosswalk' ? 'mappings' : 'relationship values'}`,
  score: 1,
  isPreselected: false,
  sharesNoKey: false,
});

const CANDIDATES_MAX = 2_000;
const PROPOSED_MAX = 10;
/** The minimum share of the columns of a file that must match fields of a target. */
const MATCHING_MIN = 0.6;
/** The best data set is preselected only if its score exceeds the second-best score by at least this. */
const PRESELECTION_LEAD = 0.1;
/** Added to the score of a data set that has the name of the file. */
const FILE_NAME_BONUS = 0.15;

interface Candidate {
  dataSetId: number | null;
  name: string;
  typeId: number;
  fields: TypeField[];
  keyFieldIds: number[];
  /** Whether an import of a file with the same headers into the data set was started before. */
  isRemembered: boolean;
}

/**
 * A remembered target, or a target whose names match: each key field has a column, and the share of columns with a
 * field is at least `MATCHING_MIN`.
 */
interface FittingTarget {
  candidate: Candidate;
  /** The beginning of the reason: the matching name and the number of matching columns. */
  matching: string;
  score: number;
}

/** Returns at most `PROPOSED_MAX` fitting targets, the best first. */
function fittingTargets(
  profile: Pick<FileProfile, 'columns'>,
  fileName: string,
  candidates: readonly Candidate[],
): FittingTarget[] {
  const columns = new Set(profile.columns.map(({ name }) => comparableName(name)));
  const ownName = comparableName(nameOfFile(fileName));
  return candidates
    .flatMap((candidate) => {
      const hasFileName = candidate.dataSetId !== null && comparableName(candidate.name) === ownName;
      const bonus = hasFileName ? FILE_NAME_BONUS : 0;
      const fields = candidate.fields.filter(({ retired }) => !retired);
      const { length } = fields.filter(({ name }) => columns.has(comparableName(name)));
      const matching = `${hasFileName ? 'It has the name of the file, ' : ''}${length} of ${columns.size} columns have the names of its fields`;
      const share = length / Math.max(columns.size, 1);
      if (candidate.isRemembered) return [{ candidate, matching, score: 1 + PRESELECTION_LEAD + bonus }];
      const keyColumns = keyColumnsOf(profile, candidate);
      if (keyColumns === undefined || keyColumns.length === 0 || share < MATCHING_MIN) return [];
      // A target with many fields that the file does not fill fits worse.
      const score = (share + length / fields.length) / 2;
      return [{ candidate, matching, score: candidate.dataSetId === null ? score * 0.9 : score + bonus }];
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, PROPOSED_MAX);
}

/** Returns the columns with the names of the key fields; undefined if a key field has no column. */
function keyColumnsOf({ columns }: Pick<FileProfile, 'columns'>, { fields, keyFieldIds }: Candidate) {
  const found = keyFieldIds.flatMap((id) => {
    const field = fields.find(({ fieldId, retired }) => fieldId === id && !retired);
    const column = field && columns.find(({ name }) => comparableName(name) === comparableName(field.name));
    return column ? [{ column, dataType: field.dataType }] : [];
  });
  return found.length === keyFieldIds.length ? found : undefined;
}

/**
 * The query for the fitting data sets that have rows, but no row with a key of the first records. Omits remembered data
 * sets.
 */
function unrelatedDataSets(tables: Tables, profile: FileProfile, fitting: readonly FittingTarget[]): Sql {
  const checks = fitting.flatMap(({ candidate }) => {
    const { dataSetId, isRemembered } = candidate;
    const keys = dataSetId === null || isRemembered ? [] : keysOf(profile, candidate);
    if (keys.length === 0) return [];
    const rows = sql`SELECT FROM ${tables('instances')} i WHERE i.data_set_id = ${dataSetId}::bigint AND NOT i.deleted`;
    const isUnrelated = sql`EXISTS (${rows}) AND NOT EXISTS (${rows} AND ${oneOfIndexedTexts(sql`i.key`, keys)})`;
    return [sql`SELECT ${dataSetId}::bigint AS id WHERE ${isUnrelated}`];
  });
  return checks.length === 0 ? sql`SELECT NULL::bigint AS id WHERE false` : join(checks, ' UNION ALL ');
}

/** Returns the keys that the previewed records would have as rows of the candidate. */
function keysOf(profile: FileProfile, candidate: Candidate): string[] {
  const keyColumns = keyColumnsOf(profile, candidate) ?? [];
  return profile.preview.flatMap(({ cells }) => {
    const parts = keyColumns.flatMap(({ column, dataType }) => {
      const read = readCellValue(cells[column.index] ?? '', dataType, column.format);
      return read.ok && read.value !== null ? [read.value] : [];
    });
    return parts.length > 0 && parts.length === keyColumns.length ? [canonicalKey(parts)] : [];
  });
}

/** The score of an unrelated data set is multiplied by this, because the file probably belongs to another data set. */
const UNRELATED_FACTOR = 0.5;

/** Proposes the fitting targets, the best first. `unrelated` has the ids of `unrelatedDataSets`. */
function rankTargets(fitting: readonly FittingTarget[], unrelated: ReadonlySet<number>): DraftTargetProposal[] {
  const ranked = fitting
    .map((target) => ({ ...target, sharesNoKey: unrelated.has(target.candidate.dataSetId ?? 0) }))
    .map((target) => ({ ...target, score: target.sharesNoKey ? target.score * UNRELATED_FACTOR : target.score }))
    .sort((a, b) => b.score - a.score);
  const dataSets = ranked.filter(({ candidate }) => candidate.dataSetId !== null);
  const lead = (dataSets[0]?.score ?? 0) - (dataSets[1]?.score ?? 0);
  return ranked.map(({ candidate, matching, score, sharesNoKey }) => ({
    target: targetOf(candidate),
    name: candidate.name,
    reason: candidate.isRemembered
      ? 'A file with the same columns was imported into it before'
      : sharesNoKey
        ? `${matching}, but no row has a key of the first records: the file probably belongs to another data set`
        : `${matching}, and its key is among them`,
    score: Math.min(1, Math.round(score * 100) / 100),
    isPreselected: !sharesNoKey && candidate === dataSets[0]?.candidate && lead >= PRESELECTION_LEAD,
    sharesNoKey,
  }));
}

const targetOf = ({ dataSetId, name, typeId }: Candidate): DraftTarget =>
  dataSetId === null ? { kind: 'newDataSet', name, typeId } : { kind: 'dataSet', dataSetId };
