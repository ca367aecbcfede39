/** Finds candidates for unmapped source values of a crosswalk. */
import type { Viewer } from '../access/viewer.ts';
import type { CrosswalkRecord, Side } from '../entities/crosswalks.ts';
import type { Candidate, LabelledValue } from '../matching/candidates.ts';
import type { Question } from '../matching/matching.ts';
import { PRIOR_MAPPINGS_MAX, TARGETS_MAX } from '../matching/matching-inputs.ts';
import { SOURCES_MAX } from '../matching/whole-results.ts';
import type { QueryContext } from '../query-context.ts';
import type { ReadModels, ReadPosition, ReadRequest, Tables } from '../read-models/read-models.ts';
import { type Sql, sql, toStatement } from '../read-models/sql.ts';
import { labelsOf, sideRows, type UnmappedValue } from './crosswalk-rows.ts';

export type SuggestionContext = Pick<QueryContext, 'readModels' | 'matching'>;

/** The statements of the matching thread, each with a cache key that changes with the rows of the statement. */
interface MatchingInputs {
  targets: Question['targets'];
  sources: Question['targets'];
  priorMappings: Question['priorMappings'];
  dismissed: Question['dismissed'];
  /** A text that changes whenever a mapping of the crosswalk changes. */
  mappings: string;
  readPosition: ReadPosition;
}

export const targetRows = (tables: Tables, side: Side): Sql =>
  sql`SELECT value, label, synonyms FROM (${sideRows(tables, side)}) target LIMIT ${TARGETS_MAX + 1}`;

export const sourceRows = (tables: Tables, side: Side): Sql =>
  sql`SELECT value, label, synonyms FROM (${sideRows(tables, side)}) source ORDER BY value COLLATE "C" LIMIT ${SOURCES_MAX + 1}`;

export const versionOfSide = (tables: Tables, { dataSetId }: Side): Sql =>
  sql`coalesce((SELECT n.valid_from FROM ${tables('data_set_counts')} n WHERE n.data_set_id = ${dataSetId}::bigint), 0)`;

/** The other served crosswalks `o` to the same target field, without crosswalks that the viewer cannot read. */
const otherCrosswalks = (tables: Tables, viewer: Viewer, { id, target }: CrosswalkRecord): Sql =>
  sql`${tables('crosswalk_mappings')} o WHERE o.id <> ${id}::bigint AND o.target_system_id = ${target.dataSetId}::bigint
    AND o.target_field_id = ${target.fieldId}::bigint AND o.served IS NOT NULL
    AND ${viewer.hasLevelOnAll(tables, [sql`o.source_system_id`, sql`o.target_system_id`])}`;

export async function prepareInputs(
  readModels: ReadModels,
  readRequest: ReadRequest,
  viewer: Viewer,
  crosswalk: CrosswalkRecord,
): Promise<MatchingInputs> {
  const { source, target } = crosswalk;
  const statements: { targets?: Sql; sources?: Sql; priorMappings?: Sql; dismissed?: Sql } = {};
  const result = await readModels.read<{
    source: number;
    target: number;
    mappings: number;
    priorMappings: unknown[];
    dismissed: [count: number, last: number];
  }>({ minPosition: readRequest.minPosition }, (tables) => {
    statements.targets = targetRows(tables, target);
    statements.sources = sourceRows(tables, source);
    statements.priorMappings = sql`SELECT m.source_value AS value, m.served_target AS "targetValue", c.name AS crosswalk
        FROM ${tables('crosswalk_mapping_values')} m
        JOIN (SELECT o.id, o.name FROM ${otherCrosswalks(tables, viewer, crosswalk)}) c ON c.id = m.crosswalk_id
        WHERE m.served_target IS NOT NULL AND NOT m.deleted ORDER BY c.id, m.id LIMIT ${PRIOR_MAPPINGS_MAX}`;
    const dismissed = sql`${tables('dismissed_suggestions')} d WHERE d.crosswalk_id = ${crosswalk.id}::bigint`;
    statements.dismissed = sql`SELECT d.source_value AS value, d.target_value AS "targetValue" FROM ${dismissed}`;
    // The count and the last seq suffice as cache key, because dismissals up to a seq are removed but never added. The
    // statement runs after this query, so the statement excludes later dismissals.
    return sql`SELECT ${versionOfSide(tables, source)} AS source, ${versionOfSide(tables, target)} AS target,
        (SELECT coalesce(max(m.valid_from), 0) FROM ${tables('crosswalk_mapping_values')} m
          WHERE m.crosswalk_id = ${crosswalk.id}::bigint) AS mappings,
        (SELECT json_build_array(count(*), coalesce(max(d.valid_from), 0)) FROM ${dismissed}) AS dismissed,
        (SELECT coalesce(json_agg(json_build_array(o.id, o.valid_from, n.served, n.last_approved_at) ORDER BY o.id), '[]')
          FROM (SELECT o.id, o.valid_from FROM ${otherCrosswalks(tables, viewer, crosswalk)}) o
          LEFT JOIN ${tables('mapping_counts')} n ON n.crosswalk_id = o.id) AS "priorMappings"`;
  });
  const versions = result.one();
  const [count, last] = versions.dismissed;
  const cacheEntry = (key: unknown, built: Sql | undefined) => {
    if (!built) throw new Error('The statements were not built');
    return { key: JSON.stringify(key), statement: toStatement(built) };
  };
  return {
    targets: cacheEntry([target, versions.target], statements.targets),
    sources: cacheEntry([source, versions.source], statements.sources),
    priorMappings:
      versions.priorMappings.length === 0 ? undefined : cacheEntry(versions.priorMappings, statements.priorMappings),
    dismissed:
      count === 0
        ? undefined
        : cacheEntry(
            [crosswalk.id, count, last],
            sql`${statements.dismissed as Sql} AND d.valid_from <= ${last}::bigint`,
          ),
    mappings: JSON.stringify([crosswalk.id, versions.mappings]),
    readPosition: result,
  };
}

export const percent = (threshold: number): number => Math.round(threshold * 100);

export const toLabelledValue = ({ sourceValue, sourceLabel }: UnmappedValue): LabelledValue => ({
  value: sourceValue,
  label: sourceLabel,
});

const NO_VALUES: ReadonlySet<string> = new Set();

/** Returns the source values for which a suggestion of the same value was dismissed. */
async function dismissedSameValues(
  readModels: ReadModels,
  readRequest: ReadRequest,
  crosswalk: CrosswalkRecord,
  sources: readonly LabelledValue[],
): Promise<ReadonlySet<string>> {
  const result = await readModels.read<{ value: string }>({ minPosition: readRequest.minPosition }, (tables) => {
    const values = sources.map(({ value }) => value);
    return sql`SELECT d.source_value AS value FROM ${tables('dismissed_suggestions')} d
      WHERE d.crosswalk_id = ${crosswalk.id}::bigint AND d.source_value = ANY(${values}::text[])
        AND d.target_value = d.source_value`;
  });
  return new Set(result.rows.map(({ value }) => value));
}

/**
 * Finds candidates for these source values among at most `TARGETS_MAX` targets. A target that equals a source value is
 * found beyond this limit too.
 */
export async function findCandidates(
  { readModels, matching }: SuggestionContext,
  readRequest: ReadRequest,
  viewer: Viewer,
  crosswalk: CrosswalkRecord,
  sources: LabelledValue[],
  threshold: number,
): Promise<Candidate[][]> {
  const { targets, priorMappings, dismissed } = await prepareInputs(readModels, readRequest, viewer, crosswalk);
  const { candidates, bounded } = await matching.answer({
    targets,
    priorMappings,
    dismissed,
    threshold,
    about: { kind: 'some', sources },
  });
  if (!bounded) return candidates;
  const dismissedValues = dismissed
    ? await dismissedSameValues(readModels, readRequest, crosswalk, sources)
    : NO_VALUES;
  const values = sources.flatMap(({ value }) => (dismissedValues.has(value) ? [] : [value]));
  const targetLabels = await labelsOf(readModels, { minPosition: readRequest.minPosition }, crosswalk.target, values);
  return candidates.map((candidatesOfSource, place) => {
    const { value } = sources[place] as LabelledValue;
    const label = targetLabels.get(value);
    if (label === undefined || candidatesOfSource[0]?.confidence === 100) return candidatesOfSource;
    return [{ targetValue: value, targetLabel: label, confidence: 100, reason: 'Same value' }, ...candidatesOfSource];
  });
}

/** Finds candidates with the threshold of the crosswalk. The values need no row in the source data set. */
export const suggestFor = (
  context: SuggestionContext,
  readRequest: ReadRequest,
  viewer: Viewer,
  crosswalk: CrosswalkRecord,
  sources: LabelledValue[],
): Promise<Candidate[][]> =>
  findCandidates(context, readRequest, viewer, crosswalk, sources, percent(crosswalk.similarityThreshold));
