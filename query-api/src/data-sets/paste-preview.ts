/** Previews a paste into a data set: finds the rows that are new, changed, unchanged or invalid, and writes nothing. */
import {
  type CellValue,
  canonicalKey,
  displayKey,
  type InstanceView,
  PASTE_OUTCOMES,
  type PastedRow,
  type PasteOutcome,
  PastePreview,
  PastePreviewView,
  parseCell,
  Refusal,
  type TypeField,
} from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import { findReadableDataSet, type ReadableDataSet } from '../access/readable-data-set.ts';
import { viewerOf } from '../access/viewer.ts';
import { instanceList } from '../entities/instance-list.ts';
import { matchingRows } from '../list/list.ts';
import type { QueryContext } from '../query-context.ts';
import { answer } from '../read-models/read-models.ts';
import { oneOfIndexedTexts, sql } from '../read-models/sql.ts';

const PREVIEW_BYTES = 16 * 1024 * 1024;

export type StoredRow = Pick<InstanceView, 'id' | 'revision' | 'data'> & { canonical: string };

/** A parsed row of the paste: its valid cells, and the problems of its invalid cells. */
export interface ParsedRow {
  index: number;
  id: number | undefined;
  cells: Record<string, CellValue>;
  problems: Record<string, string>;
  /** The canonical key; undefined if a cell of the key is missing, empty or invalid. */
  canonical: string | undefined;
}

type Fields = Pick<ReadableDataSet, 'fields' | 'keyFieldIds'>;

const keyNames = ({ fields, keyFieldIds }: Fields): string[] =>
  keyFieldIds.flatMap((id) => fields.find((field) => field.fieldId === id)?.name ?? []);

/** Returns the fields of the pasted columns. Refuses unknown and repeated columns. */
export function pastedFields(names: readonly string[], { fields }: Fields): TypeField[] {
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate !== undefined) throw new Refusal('INVALID', `The field "${duplicate}" is there twice`);
  return names.map((name) => {
    const field = fields.find((each) => each.name === name);
    if (!field) throw new Refusal('INVALID', `There is no field "${name}": leave its column out`);
    return field;
  });
}

/** Parses each pasted text by the data type of its field. A row with too few texts has no cells for the last fields. */
export function parsePaste(paste: PastePreview, dataSet: Fields): ParsedRow[] {
  const columns = pastedFields(paste.fields, dataSet);
  const keys = keyNames(dataSet);
  return paste.rows.map(({ id, cells: texts }, index) => {
    const cells: Record<string, CellValue> = {};
    const problems: Record<string, string> = {};
    columns.forEach(({ name, dataType }, position) => {
      const text = texts[position];
      if (text === undefined) return;
      const cell = parseCell(text, dataType);
      if (cell.ok) cells[name] = cell.value;
      else problems[name] = cell.reason;
    });
    if (id === undefined) {
      for (const name of keys) {
        if (problems[name] === undefined && (cells[name] ?? null) === null) {
          problems[name] = `${name} is part of the key: fill it in`;
        }
      }
    }
    const hasKey = keys.every((name) => cells[name] !== undefined && cells[name] !== null);
    return { index, id, cells, problems, canonical: hasKey ? keyOf(cells, keys) : undefined };
  });
}

const keyOf = (cells: Record<string, CellValue>, keys: readonly string[]): string =>
  canonicalKey(keys.map((name) => cells[name] ?? null));

/** Returns the outcome of each pasted row. `data` has the new or changed cells, `before` the stored ones. */
export function previewOf(paste: readonly ParsedRow[], stored: readonly StoredRow[], dataSet: Fields): PastedRow[] {
  const keys = keyNames(dataSet);
  const byId = new Map(stored.map((row) => [row.id, row]));
  const byKey = new Map(stored.map((row) => [row.canonical, row]));
  const firstIndexOf = new Map<string, number>();
  return paste.map(({ index, id, cells, problems: cellProblems, canonical }) => {
    const problems = { ...cellProblems };
    const row = id !== undefined ? byId.get(id) : canonical === undefined ? undefined : byKey.get(canonical);
    const keyCells = row === undefined ? cells : row.data;
    const result = (outcome: PasteOutcome, data: PastedRow['data'] = {}, before: PastedRow['before'] = {}) => ({
      index,
      outcome,
      id: row?.id ?? null,
      revision: row?.revision ?? null,
      key: displayKey(keys.map((name) => keyCells[name] ?? null)),
      data,
      before,
      problems,
    });
    const firstKeyField = keys[0] ?? '';
    if (id !== undefined && row === undefined) problems[firstKeyField] = 'This row no longer exists';
    const identity = row === undefined ? canonical : String(row.id);
    if (identity !== undefined) {
      const firstIndex = firstIndexOf.get(identity);
      if (firstIndex === undefined) firstIndexOf.set(identity, index);
      else problems[firstKeyField] = 'An earlier line of the paste has this row already';
    }
    if (row !== undefined && id !== undefined) {
      const changedKey = keys.find((name) => cells[name] !== undefined && cells[name] !== (row.data[name] ?? null));
      if (changedKey !== undefined) problems[changedKey] = 'The key of a row does not change: add a new row instead';
    }
    if (Object.keys(problems).length > 0) return result('invalid');
    if (row === undefined) {
      return result('new', Object.fromEntries(Object.entries(cells).filter(([, value]) => value !== null)));
    }
    const changedCells = Object.entries(cells).filter(
      ([name, value]) => value !== (row.data[name] ?? null) && !keys.includes(name),
    );
    if (changedCells.length === 0) return result('unchanged');
    const before = Object.fromEntries(changedCells.map(([name]) => [name, row.data[name] ?? null]));
    return result('changed', Object.fromEntries(changedCells), before);
  });
}

export function countOutcomes(results: readonly PastedRow[]): PastePreviewView['counts'] {
  const counts = Object.fromEntries(PASTE_OUTCOMES.map((outcome) => [outcome, 0])) as PastePreviewView['counts'];
  for (const { outcome } of results) counts[outcome] += 1;
  return counts;
}

export const pastePreviewRoutes = ({ readModels }: QueryContext): Route[] => [
  route(
    'post',
    '/api/reference-data/:id/instances/paste-preview',
    { level: 'WRITE' },
    {
      summary: 'Preview pasted rows without writing them',
      example: { body: { fields: ['name'], rows: [{ id: 5166, cells: ['Germany'] }] } },
      answers: { 200: PastePreviewView },
      body: PastePreview,
      limit: PREVIEW_BYTES,
    },
    async (request) => {
      const readRequest = { minPosition: request.minPosition };
      const reader = viewerOf({ ...request, needs: { level: 'READ' } });
      const dataSet = await findReadableDataSet(readModels, readRequest, reader, idParam(request));
      // A reader without WRITE gets FORBIDDEN instead of NOT_FOUND.
      if (!viewerOf(request).hasDeclaredLevel(dataSet)) {
        throw new Refusal('FORBIDDEN', 'Changing rows needs WRITE permission on the data set');
      }
      const paste = parsePaste(request.body, dataSet);
      const ids = paste.flatMap(({ id }) => id ?? []);
      const canonical = paste.flatMap((row) => (row.id === undefined ? (row.canonical ?? []) : []));
      const found = await readModels.read<StoredRow>(readRequest, (tables) => {
        const list = instanceList(tables, dataSet, {});
        const { id, revision, data } = list.columns;
        const isPasted = sql`(i.id = ANY(${ids}::bigint[]) OR ${oneOfIndexedTexts(sql`i.key`, canonical)})`;
        const columns = sql`${id} AS id, ${revision} AS revision, i.key AS canonical, ${data} AS data`;
        return matchingRows({}, { ...list, where: sql`${list.where} AND ${isPasted}` }, columns);
      });
      const results = previewOf(paste, found.rows, dataSet);
      return answer(found, { results, counts: countOutcomes(results) } satisfies PastePreviewView);
    },
  ),
];
