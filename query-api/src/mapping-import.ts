/** Says what an import of mappings would do: new, changed, unchanged, or invalid and why; writes nothing. */
import {
  type ApprovalStatus,
  IMPORT_OUTCOMES,
  IMPORTED_MAPPINGS_MAX,
  type ImportedMapping,
  type ImportProblem,
  MAPPING_FILE_CHARACTERS_MAX,
  type MappingImportPreview,
  PreviewMappingImport,
  REVIEW_REFUSALS,
  Refusal,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { labelsOf } from './crosswalk-rows.ts';
import { findCrosswalk, type Side } from './crosswalks.ts';
import type { Floor } from './floor.ts';
import { type NamedValue, type ReadMapping, readMappings } from './mapping-formats/index.ts';
import { type Asked, answer, type ReadModels } from './read-models.ts';
import { oneOfIndexedTexts, sql } from './sql.ts';
import { viewerOf } from './viewer.ts';

/** A character takes up to four bytes, and a line end of a file two in JSON. */
const FILE_BYTES_MAX = 1.5 * MAPPING_FILE_CHARACTERS_MAX;

export interface StoredMapping {
  id: number;
  revision: number;
  sourceValue: string;
  targetValue: string;
  confidence: number;
  status: ApprovalStatus;
  servedTarget: string | null;
}

/** A mapping of the file with its values as the data sets have them. */
interface Wanted extends Omit<ReadMapping, 'source' | 'target'> {
  sourceValue: string;
  targetValue: string;
}

const pairOf = (sourceValue: string, targetValue: string) => JSON.stringify([sourceValue, targetValue]);

/** As it stands in the file where a row has that, or where no row has either; else without its prefix. */
export const valueIn = (known: ReadonlyMap<string, unknown>, { value, local }: NamedValue): string =>
  local !== undefined && !known.has(value) && known.has(local) ? local : value;

/** Compares what was read with what is stored. */
export function previewOf(
  wanted: readonly Wanted[],
  stored: readonly StoredMapping[],
  existing: PreviewMappingImport['existing'],
): ImportedMapping[] {
  const byPair = new Map<string, StoredMapping>();
  const bySource = new Map<string, StoredMapping[]>();
  for (const mapping of stored) {
    const { sourceValue, targetValue, servedTarget } = mapping;
    if (servedTarget !== null && !byPair.has(pairOf(sourceValue, servedTarget))) {
      byPair.set(pairOf(sourceValue, servedTarget), mapping);
    }
    byPair.set(pairOf(sourceValue, targetValue), mapping);
    const others = bySource.get(sourceValue);
    if (others) others.push(mapping);
    else bySource.set(sourceValue, [mapping]);
  }
  const timesIn = new Map<string, number>();
  for (const { sourceValue, problems } of wanted) {
    if (problems.length === 0) timesIn.set(sourceValue, (timesIn.get(sourceValue) ?? 0) + 1);
  }
  const firstOf = new Map<string, number>();

  return wanted.map(({ row, sourceValue, targetValue, confidence, problems }) => {
    const result = (outcome: ImportedMapping['outcome'], of?: StoredMapping, found: ImportProblem[] = []) => ({
      row,
      outcome,
      sourceValue,
      targetValue,
      confidence,
      id: of?.id ?? null,
      revision: of?.revision ?? null,
      before: outcome === 'changed' && of ? { targetValue: of.targetValue, confidence: of.confidence } : null,
      problems: found,
    });
    if (problems.length > 0) return result('invalid', undefined, problems);
    const pair = pairOf(sourceValue, targetValue);
    const first = firstOf.get(pair);
    if (first !== undefined) {
      const rule = `This pair is in row ${first} already`;
      return result('invalid', undefined, [{ column: '', value: '', rule, fix: 'Leave one of the two out' }]);
    }
    firstOf.set(pair, row);
    const same = byPair.get(pair);
    // An approved pair under whose row another target is drafted: it is there, and serves.
    if (same && (same.targetValue !== targetValue || same.confidence === confidence)) return result('unchanged', same);
    const others = bySource.get(sourceValue) ?? [];
    const [only] = others;
    const replaced =
      existing === 'change' && others.length === 1 && timesIn.get(sourceValue) === 1 && !same ? only : same;
    if (!replaced) return result('new');
    if (replaced.status === 'PENDING') {
      const rule = REVIEW_REFUSALS.PENDING;
      const fix = 'Recall it, or wait until it is decided';
      return result('invalid', replaced, [{ column: '', value: replaced.targetValue, rule, fix }]);
    }
    return result('changed', replaced);
  });
}

const storedMappings = (readModels: ReadModels, asked: Asked, crosswalkId: number, sourceValues: readonly string[]) =>
  readModels.read<StoredMapping>(
    asked,
    (tables) => sql`SELECT m.id, m.revision, m.source_value AS "sourceValue", m.target_value AS "targetValue",
        m.confidence, m.approval_status AS status, m.served_target AS "servedTarget"
      FROM ${tables('crosswalk_mapping_values')} m
      WHERE m.crosswalk_id = ${crosswalkId}::bigint AND NOT m.deleted
        AND ${oneOfIndexedTexts(sql`m.source_value`, sourceValues)}
      ORDER BY m.id`,
  );

/** Each text once, with how many rows it is told of and the first of them. */
function remarksOf(told: readonly { row: number; text: string }[]): MappingImportPreview['remarks'] {
  const remarks = new Map<string, MappingImportPreview['remarks'][number]>();
  for (const { row, text } of told) {
    const known = remarks.get(text);
    if (known) known.count += 1;
    else remarks.set(text, { text, count: 1, row });
  }
  return [...remarks.values()];
}

/** The values of a side that the file may mean, with and without their prefixes. */
const named = (values: readonly NamedValue[]): string[] => [
  ...new Set(values.flatMap(({ value, local }) => (local === undefined ? [value] : [value, local]))),
];

export const mappingImportRoutes = ({ readModels }: Floor): Route[] => [
  route(
    'post',
    '/api/crosswalks/:id/mappings/import-preview',
    { level: 'WRITE' },
    { body: PreviewMappingImport, limit: FILE_BYTES_MAX },
    async (request) => {
      const today: Asked = { minPosition: request.minPosition };
      const reader = viewerOf({ ...request, needs: { level: 'READ' } });
      const header = await findCrosswalk(readModels, today, reader, idParam(request));
      const { dataSetId: id, createdBy } = header.source;
      if (!viewerOf(request).mayRead({ id, createdBy })) {
        throw new Refusal('FORBIDDEN', 'Importing mappings needs WRITE permission on the source data set');
      }
      const { content, format: chosen, existing } = request.body;
      const { format, mappings, remarks } = readMappings(content, chosen);
      if (mappings.length > IMPORTED_MAPPINGS_MAX) {
        const most = IMPORTED_MAPPINGS_MAX.toLocaleString('en');
        throw new Refusal('TOO_LARGE', `The file has ${mappings.length} mappings: import at most ${most} at a time`);
      }
      const known = (side: Side, end: 'source' | 'target') =>
        labelsOf(readModels, today, side, named(mappings.map((mapping) => mapping[end])));
      const [sources, targets] = [await known(header.source, 'source'), await known(header.target, 'target')];
      const wanted = mappings.map(({ source, target, ...rest }) => ({
        ...rest,
        sourceValue: valueIn(sources, source),
        targetValue: valueIn(targets, target),
      }));
      const sourceValues = [...new Set(wanted.map(({ sourceValue }) => sourceValue))];
      const found = await storedMappings(readModels, today, header.id, sourceValues);
      const rows = previewOf(wanted, found.rows, existing);
      const counts = Object.fromEntries(
        IMPORT_OUTCOMES.map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length]),
      ) as MappingImportPreview['counts'];
      const taken = wanted.filter(({ problems }) => problems.length === 0);
      const unknown = (side: Side, values: ReadonlyMap<string, unknown>, end: 'sourceValue' | 'targetValue') =>
        taken
          .filter((mapping) => !values.has(mapping[end]))
          .map(({ row }) => ({ row, text: `No row of ${side.name} has this ${side.fieldName}` }));
      const body: MappingImportPreview = {
        format,
        counts,
        rows,
        remarks: [
          ...remarks.map((text) => ({ text, count: 0, row: 0 })),
          ...remarksOf([
            ...unknown(header.source, sources, 'sourceValue'),
            ...unknown(header.target, targets, 'targetValue'),
            ...taken.flatMap(({ row, remarks: of }) => of.map((text) => ({ row, text }))),
          ]),
        ],
      };
      return answer(found, body);
    },
  ),
];
