/** Tests exports of mappings in standard formats, and imports of files from the product and from other tools. */
import { csvScanner } from '@rdm/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { conceptMapProblems, HL7_CONCEPT_MAPS, mappingSetProblems } from '../schemas/conforms.ts';
import { done, endOfJob, newCrosswalk } from './fixtures.ts';
import type { Json } from './http-client.ts';
import {
  approver,
  exportFile,
  FORMATS,
  importFile,
  nameOf,
  newExportedCrosswalk,
  PAIRS,
  pairOf,
  prepareMappings,
  previewImport,
  requireFilteredExport,
  requireImportWithoutLoss,
  source,
  stageFile,
  steward,
  target,
  viewer,
} from './mapping-files.ts';

prepareMappings();

/** Parses an SSSOM file into an object for validation by the SSSOM schema. */
function mappingSetOf(file: string): Json {
  const lines = file.split('\n');
  const metadata = lines.filter((line) => line.startsWith('#')).map((line) => line.slice(1));
  const top = metadata
    .filter((line) => /^[a-z_]+: ./.test(line))
    .map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), JSON.parse(line.slice(colon + 2))];
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
  beforeAll(async () => {
    id = await newExportedCrosswalk();
  });

  it('is a valid ConceptMap by the schema of HL7', async () => {
    const map = JSON.parse(await exportFile(id, 'conceptmap'));
    expect(conceptMapProblems(map)).toEqual([]);
    expect(map).toMatchObject({ resourceType: 'ConceptMap', title: await nameOf(id), status: 'draft' });
    const seven = map.group[0].element.find((element: Json) => element.code === '007');
    expect(seven).toMatchObject({ display: '=Name of 007', target: [{ code: 'Zürich 🜁' }, { code: 'A' }] });
    // Only an export of the tab Approved of an approved crosswalk is active. All other exports are drafts.
    expect(JSON.parse(await exportFile(id, 'conceptmap', '&tab=approved'))).toMatchObject({ status: 'draft' });
    done(await approver.post(`/api/crosswalks/${id}/approve`, {}));
    await steward.eventually(`/api/crosswalks/${id}`, ({ body }) => body.isServed);
    expect(JSON.parse(await exportFile(id, 'conceptmap', '&tab=approved'))).toMatchObject({ status: 'active' });
    expect(JSON.parse(await exportFile(id, 'conceptmap'))).toMatchObject({ status: 'draft' });
    const empty = JSON.parse(await exportFile(id, 'conceptmap', '&q=nobody'));
    expect(conceptMapProblems(empty)).toEqual([]);
    expect(empty.group).toBeUndefined();
  });
  it('is validated by schemas that refuse invalid documents', () => {
    const element = { code: ' padded ', target: [{ code: 'x', equivalence: 'same' }] };
    expect(conceptMapProblems({ resourceType: 'ConceptMap', group: [{ element: [element] }] })).toHaveLength(2);
    expect(mappingSetProblems({ license: 'x', mappings: [{ subject_id: 'a:b', unheard: 1 }] }).length).toBeGreaterThan(
      2,
    );
  });
  it('is a valid mapping set by the schema of SSSOM, and declares the prefixes of values and users', async () => {
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
  it('contains no names of users', async () => {
    for (const format of FORMATS) {
      expect(await exportFile(id, format)).not.toMatch(/steward|approver|@example/i);
    }
  });
  it.each(['csv', 'conceptmap'] as const)('in %s is imported into an empty crosswalk without loss', (format) =>
    requireImportWithoutLoss(id, format),
  );
  it.each(['csv', 'conceptmap'] as const)('in %s contains only the filtered mappings, now or as of a time', (format) =>
    requireFilteredExport(format),
  );
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
          fix: 'Write a number such as 87.5, or omit it: the confidence is then 100',
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
  it('reads ConceptMaps that HL7 publishes', async () => {
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
        lostDetails: remarks.filter(({ text }: Json) => text.includes('ignored')).map(({ count }: Json) => count),
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
  it('resolves identifiers to values in the data sets', async () => {
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
  it('requires WRITE, the upload of the same user and a valid file', async () => {
    const id = await newCrosswalk(steward, source, target);
    const path = `/api/crosswalks/${id}/mappings`;
    const fileId = await stageFile(id, 'x,y');
    await viewer.eventually(`/api/crosswalks/${id}`, ({ status }) => status === 200);
    for (const importPath of [`${path}/import-preview`, `${path}/import`]) {
      expect((await viewer.post(importPath, { fileId })).status).toBe(403);
      // Only the user who uploaded the file can import it, and only into the crosswalk of the upload.
      expect((await approver.post(importPath, { fileId })).status).toBe(404);
      const other = await newCrosswalk(steward, source, target);
      expect((await steward.post(importPath.replace(`/${id}/`, `/${other}/`), { fileId })).status).toBe(404);
    }
    await expect(stageFile(id, '')).rejects.toThrow(/The file is empty/);
    const brokenFile = { fileId: await stageFile(id, '[') };
    expect((await steward.post(`${path}/import-preview`, brokenFile)).body.error).toMatch(
      /^The file is not valid JSON/,
    );
    const { jobId } = done(await steward.post(`${path}/import`, brokenFile));
    expect(await endOfJob(steward, jobId)).toMatchObject({
      status: 'FAILED',
      errorMessage: expect.stringMatching(/^The file is not valid JSON/),
    });
  });
});
