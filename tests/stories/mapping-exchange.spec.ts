/** Mappings as files: exports in standard formats, which import without loss, and imports of files of other tools. */
import { csvScanner, IMPORTED_ROWS_MAX } from '@rdm/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { conceptMapProblems, HL7_CONCEPT_MAPS, mappingSetProblems } from '../schemas/conforms.ts';
import {
  done,
  endOfJob,
  newCrosswalk,
  newDataSet,
  newSharedCollection,
  newType,
  rowsOf,
  stagedRows,
} from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';
import { LONG } from './stack.ts';

const NASTY = ['007', ' padded ', '=1+1', "'=2", '+49', 'tab\there', 'line\r\nbreak', '"quoted", or; not', 'Zürich 🜁'];
const FORMATS = ['csv', 'json', 'conceptmap', 'sssom'] as const;
type Format = (typeof FORMATS)[number];

let steward: HttpClient;
let approver: HttpClient;
let viewer: HttpClient;
let typeId: number;
let collectionId: number;
let source: number;
let target: number;

beforeAll(async () => {
  [steward, approver, viewer] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('viewer')]);
  collectionId = await newSharedCollection(steward);
  typeId = await newType(steward);
  const rows = NASTY.map((code, index) => ({ code, ...(index % 2 === 0 ? { name: `=Name of ${code}` } : {}) }));
  source = await newDataSet(steward, typeId, collectionId, rows);
  target = await newDataSet(steward, typeId, collectionId, [...rows, { code: 'A' }, { code: 'B' }]);
});

async function exportFile(id: number, format: Format, query = '', person = steward): Promise<string> {
  const path = `/api/crosswalks/${id}/export?format=${format}${query}`;
  const response = await person.download(path);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return response.text();
}

const stageFile = (id: number, content: string) => stagedRows(steward, { crosswalkId: id }, content);

async function previewImport(id: number, content: string, more: Json = {}): Promise<Json> {
  const fileId = await stageFile(id, content);
  return done(await steward.post(`/api/crosswalks/${id}/mappings/import-preview`, { fileId, ...more }));
}

const pairOf = ({ sourceValue, targetValue, confidence }: Json) => ({ sourceValue, targetValue, confidence });

/** Imports the file; returns all rows of the crosswalk, in the order of their ids. */
async function importFile(id: number, content: string, more: Json = {}): Promise<{ id: number; revision: number }[]> {
  const path = `/api/crosswalks/${id}/mappings`;
  const { jobId } = done(await steward.post(`${path}/import`, { fileId: await stageFile(id, content), ...more }));
  const { status, counts } = await endOfJob(steward, jobId);
  expect(status).toBe('DONE');
  const { body } = await steward.eventually(
    `${path}?sort=id`,
    ({ body }) => body.total === counts.created + counts.changed + counts.unchanged,
  );
  return body.items.map(({ id: row, revision }: Json) => ({ id: row, revision }));
}

async function approveAll(id: number, rows: { id: number; revision: number }[]): Promise<void> {
  const path = `/api/crosswalks/${id}/mappings`;
  const submitted = rowsOf(done(await steward.post(`${path}/submit`, { rows })));
  done(await approver.post(`${path}/approve`, { rows: submitted }));
  await steward.eventually(`${path}/counts`, ({ body }) => body.approved === rows.length);
}

/** Replaces the id and the name of the crosswalk by fixed texts, so that a comparison covers only the mappings. */
const withoutCrosswalkIdentity = (file: string, id: number, name: string) =>
  file.replaceAll(`/crosswalks/${id}"`, '/crosswalks/N"').replaceAll(JSON.stringify(name), '"Name"');

async function nameOf(id: number): Promise<string> {
  return done(await steward.get(`/api/crosswalks/${id}`)).name;
}

/** Parses an SSSOM file into the object that its schema describes. */
function mappingSetOf(file: string): Json {
  const lines = file.split('\n');
  const metadata = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(1));
  const top = metadata
    .filter((line) => /^[a-z_]+: ./.test(line))
    .map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), JSON.parse(line.slice(at + 2))];
    });
  const scanner = csvScanner('\t');
  const [head, ...rows] = scanner.push(lines.slice(metadata.length).join('\n'), true).map(({ fields }) => fields);
  const listColumns = new Set(['author_id', 'reviewer_id']);
  const mappings = rows.map((row) =>
    Object.fromEntries(
      row.flatMap((cell, index) => {
        const column = head?.[index] ?? '';
        if (cell === '') return [];
        return [[column, listColumns.has(column) ? cell.split('|') : column === 'confidence' ? Number(cell) : cell]];
      }),
    ),
  );
  return { ...Object.fromEntries(top), mappings };
}

describe('an export', () => {
  let id: number;
  const PAIRS = [
    ...NASTY.map((value, index) => [value, NASTY.at(-1 - index) as string, index * 12.5] as const),
    ['007', 'A', 100] as const,
  ];

  beforeAll(async () => {
    id = await newCrosswalk(steward, source, target);
    const rows = PAIRS.map(([sourceValue, targetValue, confidence]) => ({ sourceValue, targetValue, confidence }));
    await approveAll(id, rowsOf(done(await steward.post(`/api/crosswalks/${id}/mappings`, { rows }))));
  });

  it('is a valid ConceptMap by the schema of HL7', async () => {
    const map = JSON.parse(await exportFile(id, 'conceptmap'));
    expect(conceptMapProblems(map)).toEqual([]);
    expect(map).toMatchObject({ resourceType: 'ConceptMap', title: await nameOf(id), status: 'draft' });
    const seven = map.group[0].element.find((element: Json) => element.code === '007');
    expect(seven).toMatchObject({ display: '=Name of 007', target: [{ code: 'Zürich 🜁' }, { code: 'A' }] });
    // A ConceptMap is active only if it is the tab Approved of an approved crosswalk; every other export is a draft.
    expect(JSON.parse(await exportFile(id, 'conceptmap', '&tab=approved'))).toMatchObject({ status: 'draft' });
    done(await approver.post(`/api/crosswalks/${id}/approve`, {}));
    await steward.eventually(`/api/crosswalks/${id}`, ({ body }) => body.isServed);
    expect(JSON.parse(await exportFile(id, 'conceptmap', '&tab=approved'))).toMatchObject({ status: 'active' });
    expect(JSON.parse(await exportFile(id, 'conceptmap'))).toMatchObject({ status: 'draft' });
    const empty = JSON.parse(await exportFile(id, 'conceptmap', '&q=nobody'));
    expect(conceptMapProblems(empty)).toEqual([]);
    expect(empty.group).toBeUndefined();
  });
  it('is checked by schemas that refuse invalid documents', () => {
    const element = { code: ' padded ', target: [{ code: 'x', equivalence: 'same' }] };
    expect(conceptMapProblems({ resourceType: 'ConceptMap', group: [{ element: [element] }] })).toHaveLength(2);
    expect(mappingSetProblems({ license: 'x', mappings: [{ subject_id: 'a:b', unheard: 1 }] }).length).toBeGreaterThan(
      2,
    );
  });
  it('is a valid mapping set by the schema of SSSOM, with a prefix for every identifier', async () => {
    const file = await exportFile(id, 'sssom');
    const set = mappingSetOf(file);
    expect(mappingSetProblems(set)).toEqual([]);
    expect(set.mappings).toHaveLength(PAIRS.length);
    const prefixes = new Set([...file.matchAll(/^# {2}(\w+): "/gm)].map(([, prefix]) => prefix));
    for (const mapping of set.mappings) {
      for (const name of [mapping.subject_id, mapping.object_id, ...mapping.author_id, ...mapping.reviewer_id]) {
        expect(name).toMatch(/^\w+:[\w%.!~*'()-]+$/);
        expect(prefixes).toContain(name.split(':')[0]);
      }
    }
    expect(set.mappings.find((row: Json) => row.subject_id === 'source:tab%09here')).toMatchObject({
      predicate_id: 'skos:exactMatch',
      mapping_justification: 'semapv:MappingReview',
      confidence: 0.625,
    });
  });
  it('names users only by their ids', async () => {
    for (const format of FORMATS) {
      expect(await exportFile(id, format)).not.toMatch(/steward|approver|@example/i);
    }
  });
  it.each(FORMATS)('in %s is imported into an empty crosswalk without loss', async (format) => {
    const fields = format === 'csv' || format === 'json' ? '&fields=sourceValue,targetValue,confidence,status' : '';
    const first = await exportFile(id, format, fields);
    const copy = await newCrosswalk(steward, source, target);
    const { counts, remarks, format: detected } = await previewImport(copy, first);
    expect({ detected, counts, remarks }).toEqual({
      detected: format,
      counts: { new: PAIRS.length, changed: 0, unchanged: 0, invalid: 0 },
      remarks: [],
    });
    await approveAll(copy, await importFile(copy, first));
    const second = await exportFile(copy, format, fields);
    expect(withoutCrosswalkIdentity(second, copy, await nameOf(copy))).toBe(
      withoutCrosswalkIdentity(first, id, await nameOf(id)),
    );
    expect((await previewImport(copy, first)).counts).toMatchObject({ unchanged: PAIRS.length });
  });
  it.each(FORMATS)('of filtered mappings in %s contains only these, now or as of a time', async (format) => {
    const filter = JSON.stringify({
      logic: 'AND',
      conditions: [{ field: 'targetValue', operator: 'equals', value: 'A' }],
    });
    const narrow = `&tab=approved&filter=${encodeURIComponent(filter)}`;
    const ownCrosswalk = await newCrosswalk(steward, source, target);
    const rows = await importFile(ownCrosswalk, 'sourceValue,targetValue\n007,A\n+49,B\n');
    await approveAll(ownCrosswalk, rows);
    const asOf = `&asOf=${new Date().toISOString()}`;
    const before = await exportFile(ownCrosswalk, format, `${narrow}${asOf}`);
    done(
      await steward.patch(`/api/crosswalks/${ownCrosswalk}/mappings`, {
        rows: [{ id: rows[0]?.id, revision: 3, targetValue: 'B' }],
      }),
    );
    await steward.eventually(`/api/crosswalks/${ownCrosswalk}/mappings/counts`, ({ body }) => body.draft === 1);
    expect((await previewImport(ownCrosswalk, before)).rows.map(pairOf)).toEqual([
      { sourceValue: '007', targetValue: 'A', confidence: 100 },
    ]);
    expect(await exportFile(ownCrosswalk, format, `${narrow}${asOf}`)).toBe(before);
    expect(await exportFile(ownCrosswalk, format, narrow)).not.toBe(before);
  });
  it('is refused for the tab of unmapped values, for an unknown format and for an unknown field', async () => {
    const path = `/api/crosswalks/${id}/export`;
    expect(await steward.get(`${path}?tab=unmapped`)).toMatchObject({ status: 400, body: { code: 'INVALID' } });
    expect(await steward.get(`${path}?format=xml`)).toMatchObject({ status: 400 });
    expect((await steward.get(`${path}?fields=nothing`)).body.error).toMatch(
      /^There is no field “nothing” to show\. Use one of: id, /,
    );
  });
});

describe('an import', () => {
  it('previews the effect of each row, and how to correct invalid rows', async () => {
    const id = await newCrosswalk(steward, source, target);
    await importFile(id, 'sourceValue,targetValue,confidence\n007,A,90\n+49,B,80\n');
    const { counts, rows, remarks } = await previewImport(
      id,
      'sourceValue,targetValue,confidence\n007,A,90\n+49,A,80\n=1+1,A,\n,A,\nnowhere,A,much\n',
    );
    expect(counts).toEqual({ new: 1, changed: 1, unchanged: 1, invalid: 2 });
    expect(rows[1]).toMatchObject({ outcome: 'changed', before: { targetValue: 'B', confidence: 80 } });
    expect(rows[4]).toMatchObject({
      row: 6,
      outcome: 'invalid',
      problems: [
        {
          column: 'confidence',
          value: 'much',
          rule: 'The confidence is not a number from 0 to 100',
          fix: 'Write a number such as 87.5, or leave it out for 100',
        },
      ],
    });
    expect(remarks).toEqual([]);
    const added = await previewImport(id, 'sourceValue,targetValue\n+49,A\n', { existing: 'add' });
    expect(added.counts.new).toBe(1);
  });
  it('submits the mappings for review on request', async () => {
    const id = await newCrosswalk(steward, source, target);
    await importFile(id, '[{"sourceValue":"007","targetValue":"A"}]', { submit: true });
    const { items } = done(await steward.get(`/api/crosswalks/${id}/mappings?tab=pending`));
    expect(items).toMatchObject([{ sourceValue: '007', status: 'PENDING' }]);
    const secondPreview = await previewImport(id, 'sourceValue,targetValue\n007,B\n');
    expect(secondPreview.rows[0].problems[0].rule).toBe('This row is under review: recall it first');
  });
  it('reads the ConceptMaps that HL7 publishes', async () => {
    const id = await newCrosswalk(steward, source, target);
    const previewConceptMap = async (name: string) => {
      expect(conceptMapProblems(HL7_CONCEPT_MAPS.get(name))).toEqual([]);
      const { format, rows, remarks } = await previewImport(id, JSON.stringify(HL7_CONCEPT_MAPS.get(name)));
      expect(format).toBe('conceptmap');
      return {
        imported: rows
          .filter((row: Json) => row.outcome === 'new')
          .map((row: Json) => `${row.sourceValue} → ${row.targetValue}`),
        refused: rows.flatMap((row: Json) => row.problems.map(({ column, rule }: Json) => `${column}: ${rule}`)),
        lostDetails: remarks.filter(({ text }: Json) => text.includes('not kept')).map(({ count }: Json) => count),
      };
    };
    expect(await previewConceptMap('101')).toEqual({
      imported: ['home → H', 'work → WP', 'temp → TMP'],
      refused: ['group[0].element[3].target[0].equivalence: The map states that there is no target'],
      lostDetails: [],
    });
    expect(await previewConceptMap('103')).toEqual({
      imported: ['263204007 → S52.209A'],
      refused: ['group[0].element[1].code: The source value is missing'],
      lostDetails: [1],
    });
    expect(await previewConceptMap('example2')).toEqual({
      imported: [],
      refused: ['group[0].element[0].target[0].dependsOn: The mapping holds only under a condition on other elements'],
      lostDetails: [],
    });
    expect((await previewConceptMap('cdshooks-indicator')).imported).toEqual([
      'info → routine',
      'warning → urgent',
      'critical → stat',
    ]);
    expect(await previewConceptMap('cm-contact-point-use-v3')).toMatchObject({
      imported: ['home → H', 'work → WP', 'temp → TMP', 'old → OLD', 'old → BAD', 'mobile → MC'],
      lostDetails: [2],
    });
  });
  it('resolves an identifier to the value in the data sets', async () => {
    const set = [
      '#curie_map:',
      '#  X: "http://example.org/X_"',
      'subject_id\tpredicate_id\tobject_id\tmapping_justification',
      'X:007\tskos:exactMatch\tX:A\tsemapv:ManualMappingCuration',
      'X:nowhere\tskos:exactMatch\tX:B\tsemapv:ManualMappingCuration',
    ].join('\n');
    const { rows, remarks } = await previewImport(await newCrosswalk(steward, source, target), set);
    expect(rows.map(pairOf)).toMatchObject([
      { sourceValue: '007', targetValue: 'A' },
      { sourceValue: 'X:nowhere', targetValue: 'B' },
    ]);
    expect(remarks).toMatchObject([{ count: 1, row: 5, text: expect.stringMatching(/^No row of .* has this code$/) }]);
  });
  it('requires WRITE', async () => {
    const id = await newCrosswalk(steward, source, target);
    const path = `/api/crosswalks/${id}/mappings`;
    const fileId = await stageFile(id, 'x,y');
    await viewer.eventually(`/api/crosswalks/${id}`, ({ status }) => status === 200);
    for (const importPath of [`${path}/import-preview`, `${path}/import`]) {
      expect((await viewer.post(importPath, { fileId })).status).toBe(403);
      // Only the user who uploaded the file can import it, and only into this crosswalk.
      expect((await approver.post(importPath, { fileId })).status).toBe(404);
      const other = await newCrosswalk(steward, source, target);
      expect((await steward.post(importPath.replace(`/${id}/`, `/${other}/`), { fileId })).status).toBe(404);
    }
    await expect(stageFile(id, '')).rejects.toThrow(/The file is empty/);
    const broken = { fileId: await stageFile(id, '[') };
    expect((await steward.post(`${path}/import-preview`, broken)).body.error).toMatch(/^The file is not valid JSON/);
    const { jobId } = done(await steward.post(`${path}/import`, broken));
    expect(await endOfJob(steward, jobId)).toMatchObject({
      status: 'FAILED',
      errorMessage: expect.stringMatching(/^The file is not valid JSON/),
    });
  });
  it('imports very many mappings at once', async () => {
    const id = await newCrosswalk(steward, source, target);
    const listColumns = LONG ? IMPORTED_ROWS_MAX / 5 : 10_000;
    const lines = Array.from(
      { length: LONG ? IMPORTED_ROWS_MAX + 1 : listColumns },
      (_, index) => `S${index},T${index % 500}`,
    );
    const { counts, rows } = await previewImport(
      id,
      `sourceValue,targetValue\n${lines.slice(0, listColumns).join('\n')}`,
    );
    expect(counts).toEqual({ new: listColumns, changed: 0, unchanged: 0, invalid: 0 });
    expect(rows.map(({ row }: Json) => row)).toEqual(Array.from({ length: 100 }, (_, index) => index + 2));
    if (!LONG) return; // In the short form, only unit tests check the limit.
    const refused = await steward.post(`/api/crosswalks/${id}/mappings/import-preview`, {
      fileId: await stageFile(id, lines.join('\n')),
    });
    expect(refused).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
  });
});
