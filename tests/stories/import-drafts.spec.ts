/** Import drafts: users upload, check and fix a file, and import it into a new or an existing data set. */
import { describe, expect, it } from 'vitest';
import { newKey } from './api-key-client.ts';
import { fieldsOf, withFieldChange } from './field-rename.ts';
import { done, endOfJob, newCrosswalk, newDataSet, newType } from './fixtures.ts';
import { type Json, uniqueName } from './http-client.ts';
import {
  admin,
  approver,
  changeDraft,
  collectionId,
  prepareDrafts,
  steward,
  uploadDraft,
  viewer,
} from './import-draft-requests.ts';
import { createSignedInUser } from './signed-in-user.ts';

prepareDrafts();

/** Checks the draft with its current settings, without writing rows; returns the result. */
async function runCheck(id: string, person = steward): Promise<Json> {
  done(await person.post(`/api/imports/${id}/validate`));
  const { body } = await person.eventually(`/api/imports/${id}`, (answer) =>
    ['DONE', 'FAILED'].includes(answer.body.check?.status),
  );
  return body.check;
}

const readProblems = async (id: string): Promise<Json[]> =>
  done(await steward.get(`/api/imports/${id}/problems`)).groups;

/** Waits until the data set has this number of rows; returns the rows. */
const waitForRows = async (dataSetId: number, count: number): Promise<Json[]> =>
  (
    await steward.eventually(
      `/api/reference-data/${dataSetId}/instances?pageSize=1000`,
      ({ body }) => body.total === count,
    )
  ).body.items;

/** Returns a German price list of 300 products, and the values of its eight wrong cells by line. */
function priceList(): { text: string; wrongCells: Map<number, string> } {
  const lines = ['Artikelnr;Bezeichnung;Preis;Gültig ab;Aktiv'];
  for (let number = 1; number <= 300; number++) {
    const code = String(number).padStart(5, '0');
    const day = String((number % 28) + 1).padStart(2, '0');
    lines.push(
      `${code};Müller Öse ${number};1.${String(number).padStart(3, '0')},50;${day}.03.2025;${number % 3 ? 'ja' : 'nein'}`,
    );
  }
  const wrongCells = new Map<number, string>();
  for (const line of [11, 21, 31, 41]) wrongCells.set(line, '31.02.2025');
  for (const line of [51, 61, 71, 81]) wrongCells.set(line, 'auf Anfrage');
  for (const [line, value] of wrongCells) {
    const cells = (lines[line - 1] as string).split(';');
    cells[value === 'auf Anfrage' ? 2 : 3] = value;
    lines[line - 1] = cells.join(';');
  }
  return { text: `${lines.join('\r\n')}\r\n`, wrongCells };
}

describe('an import draft', () => {
  it('has the detected encoding, delimiter, data types, formats and key', async () => {
    const draft = await uploadDraft(Buffer.from(priceList().text, 'latin1'), 'Artikel_2025-11.csv');
    expect(draft).toMatchObject({
      ...{ state: 'READY', format: 'text', records: 300, key: [0], questions: [], fixes: [], check: null },
      read: { encoding: 'windows-1252', delimiter: ';', headerRow: 1 },
      columns: ['Artikelnr', 'Bezeichnung', 'Preis', 'Gültig ab', 'Aktiv'],
    });
    expect(draft.profiles.map(({ dataType, misfits }: Json) => [dataType, misfits])).toEqual([
      ['string', 0],
      ['string', 0],
      ['number', 4],
      ['date', 4],
      ['boolean', 0],
    ]);
    expect(draft.profiles[2].format).toMatchObject({ decimal: ',' });
    expect(draft.profiles[3].format).toMatchObject({ date: 'DMY' });
    expect(draft.preview).toHaveLength(50);
  });

  it('warns about rows without a label, but counts these rows as valid', async () => {
    const { id } = await uploadDraft(Buffer.from('code,name\nA,Alpha\nB,\nC,Gamma\n'), 'codes.csv');
    await changeDraft(id, { label: 1 });
    expect(await runCheck(id)).toMatchObject({ status: 'DONE', counts: { new: 3, invalid: 0 } });
    expect(await readProblems(id)).toMatchObject([
      { rule: 'EMPTY_LABEL', severity: 'warning', count: 1, message: '1 row: "name" is the label and empty' },
    ]);
  });

  it('warns about ambiguous dates in a column with both orders of day and month', async () => {
    const file = 'code,from\nA,31.12.2016\nB,1/13/2017\nC,9/5/2017\nD,2017-05-09\n';
    const { id } = await uploadDraft(Buffer.from(file), 'codes.csv');
    await changeDraft(id, { columns: { 1: { dataType: 'date', format: { date: 'DMY' } } } });
    expect(await runCheck(id)).toMatchObject({ status: 'DONE', counts: { new: 3, invalid: 1 } });
    expect(await readProblems(id)).toContainEqual(
      expect.objectContaining({
        ...{ rule: 'DATE_ORDER', severity: 'warning', count: 1 },
        message: '1 row: "from" can begin with the day or the month: 9/5/2017',
      }),
    );
  });

  it('becomes a data set with a type, a collection and rows after its wrong cells are fixed', async () => {
    const { text, wrongCells } = priceList();
    const { id } = await uploadDraft(Buffer.from(text, 'latin1'), 'Artikel.csv');
    const name = uniqueName('Artikel');
    await changeDraft(id, { target: { kind: 'newDataSet', name, newCollection: name } });
    expect(await runCheck(id)).toMatchObject({ status: 'DONE', counts: { new: 292, invalid: 8 } });
    const groups = await readProblems(id);
    expect(groups.map(({ rule, count }) => [rule, count])).toEqual([
      ['WRONG_TYPE', 4],
      ['WRONG_TYPE', 4],
    ]);
    const { items } = done(await steward.get(`/api/imports/${id}/problems/all`));
    expect(items.map(({ record, place }: Json) => [record, place])).toEqual(
      [...wrongCells.keys()].map((line) => [line, `line ${line}`]),
    );
    const fixes = items.map(({ record, problems: [{ column, value }] }: Json) => ({
      ...{ kind: 'setCell', record, column },
      value: value === 'auf Anfrage' ? '12,5' : '28.02.2025',
    }));
    await changeDraft(id, { fixes });
    expect(await runCheck(id)).toMatchObject({ status: 'DONE', counts: { new: 300, invalid: 0 } });

    const started = done(await steward.post(`/api/imports/${id}/start`, { description: 'Price list' }));
    const job = await endOfJob(steward, started.jobId);
    expect(job).toMatchObject({
      ...{ status: 'DONE', jobType: 'REFERENCE_DATA_IMPORT', jobLevel: 'PARENT', counts: { created: 300, failed: 0 } },
      children: [{ jobType: 'VALIDATION' }, { jobType: 'DATASET_INSTANCES_IMPORT' }],
    });
    const rows = await waitForRows(started.dataSetId, 300);
    const data = new Map(rows.map((row) => [row.data.Artikelnr, row.data]));
    expect(data.get('00001')).toEqual({
      ...{ Artikelnr: '00001', Bezeichnung: 'Müller Öse 1', Preis: 1001.5, 'Gültig ab': '2025-03-02', Aktiv: true },
    });
    expect(data.get('00010')).toMatchObject({ 'Gültig ab': '2025-02-28' });
    expect(data.get('00050')).toMatchObject({ Preis: 12.5 });
    const dataSet = done(await steward.get(`/api/reference-data/${started.dataSetId}`));
    expect(dataSet).toMatchObject({ name, primaryKeyFields: ['Artikelnr'], collections: [{ name }] });
  });

  it('refuses settings with an older revision of the draft', async () => {
    const { id, revision } = await uploadDraft('code,name\nA,Alpha\n');
    const first = await steward.patch(
      `/api/imports/${id}`,
      { description: 'First' },
      { headers: { 'If-Match': `"${revision}"` } },
    );
    expect(first.status).toBe(200);
    const second = await steward.patch(
      `/api/imports/${id}`,
      { description: 'Second' },
      { headers: { 'If-Match': `"${revision}"` } },
    );
    expect(second).toMatchObject({
      status: 412,
      body: { details: { current: { settings: { description: 'First' } } } },
    });
  });

  it('cannot be checked before the owner answers the question about the order of day and month', async () => {
    const { id, questions } = await uploadDraft('code;since\nA;03/04/2025\nB;05/06/2025\n');
    expect(questions).toMatchObject([{ kind: 'dateOrder', answer: null }]);
    const refused = await steward.post(`/api/imports/${id}/validate`);
    expect(refused).toMatchObject({ status: 400, body: { error: questions[0].text } });
    await changeDraft(id, { answers: { [questions[0].id]: 'DMY' } });
    const { rows } = await runCheck(id);
    expect(rows.new.map(({ after }: Json) => after)).toEqual([
      ['A', '2025-04-03'],
      ['B', '2025-06-05'],
    ]);
  });

  it('uses row numbers as the key if the owner chooses this answer', async () => {
    const { id, questions } = await uploadDraft('kind,size\na,1\na,1\nb,2\n');
    expect(questions).toMatchObject([{ kind: 'key' }]);
    await changeDraft(id, { answers: { key: 'row' }, target: { kind: 'newDataSet', name: uniqueName('Kinds') } });
    expect((await runCheck(id)).counts).toMatchObject({ new: 3, invalid: 0 });
    const { jobId, dataSetId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Kinds' }));
    expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE', counts: { created: 3, failed: 0 } });
    expect((await waitForRows(dataSetId, 3)).map((row) => row.data)).toEqual(
      [
        { kind: 'a', size: 1 },
        { kind: 'a', size: 1 },
        { kind: 'b', size: 2 },
      ].map((row, index) => ({ ...row, 'Row number': index + 2 })),
    );
  });

  it('contains the reason why its file cannot be read', async () => {
    expect(await uploadDraft(Buffer.from('PK\x03\x04 no archive', 'latin1'), 'codes.xlsx')).toMatchObject({
      state: 'REFUSED',
      refusal: expect.stringMatching(/incomplete|workbook/),
    });
  });

  it('is visible only to its owner, until the owner deletes the draft', async () => {
    const { id } = await uploadDraft('code,name\nA,Alpha\n');
    for (const person of [approver, viewer, admin]) {
      expect((await person.get(`/api/imports/${id}`)).status).toBe(404);
      expect((await person.patch(`/api/imports/${id}`, { description: 'x' })).status).toBe(404);
      expect((await person.delete(`/api/imports/${id}`)).status).toBe(404);
    }
    const mine = done(await steward.get('/api/imports'));
    expect(mine.map((draft: Json) => draft.id)).toContain(id);
    expect((await steward.delete(`/api/imports/${id}`)).status).toBe(204);
    const answers = [
      await steward.get(`/api/imports/${id}`),
      await steward.get(`/api/imports/${id}/targets`),
      await steward.patch(`/api/imports/${id}`, { description: 'x' }),
      await steward.post(`/api/imports/${id}/start`, { description: 'x' }),
    ];
    const error = 'This uploaded file does not exist any more: upload it again';
    expect(answers).toMatchObject(answers.map(() => ({ status: 404, body: { code: 'NOT_FOUND', error } })));
  });

  it('can be started only once', async () => {
    const { id } = await uploadDraft('code,name\nA,Alpha\n');
    await changeDraft(id, { target: { kind: 'newDataSet', name: uniqueName('Once') } });
    done(await steward.post(`/api/imports/${id}/start`, { description: 'Once' }));
    const repeatedAnswer = await steward.post(`/api/imports/${id}/start`, { description: 'Again' });
    expect(repeatedAnswer).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
    expect((await steward.patch(`/api/imports/${id}`, { mode: 'insert' })).status).toBe(409);
  });

  it('cannot create a type with the name of another type', async () => {
    const name = uniqueName('Taken');
    const schemas = [{ name: 'code', dataType: 'string', isPrimaryKey: true }];
    done(await steward.post('/api/reference-types', { name, schemas }));
    const { id } = await uploadDraft('code,label\nA,Alpha\n');
    await changeDraft(id, { target: { kind: 'newDataSet', name } });
    const error = `A type with the name "${name}" exists: use it, or choose another name for the new type`;
    const started = await steward.post(`/api/imports/${id}/start`, { description: 'Taken' });
    expect(started).toMatchObject({ status: 409, body: { code: 'NAME_TAKEN', error } });
  });

  it('can be started with other settings after its data set could not be created', async () => {
    const { id } = await uploadDraft('code,name\nA,Alpha\n');
    const typeName = uniqueName('Left');
    await changeDraft(id, { target: { kind: 'newDataSet', name: 'Left', typeName, collectionId: 999_999 } });
    expect((await steward.post(`/api/imports/${id}/start`, { description: 'Left' })).status).toBe(404);
    await changeDraft(id, { target: { kind: 'newDataSet', name: 'Left', typeName } });
    const { jobId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Left' }));
    expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE', counts: { created: 1 } });
  });
});

describe('a file for an existing data set', () => {
  async function newTarget(rows: Json[]): Promise<{ dataSetId: number; field: string }> {
    const field = uniqueName('price').replaceAll(' ', '_');
    const typeId = await newType(steward, [{ name: field, dataType: 'number' }]);
    return { dataSetId: await newDataSet(steward, typeId, collectionId, rows), field };
  }

  it('gets, as its first proposal, the data set with the same key and fields', async () => {
    const { dataSetId, field } = await newTarget([]);
    const { id } = await uploadDraft(`code,name,${field}\nA,Alpha,1\n`);
    const targets = done(await steward.get(`/api/imports/${id}/targets`));
    expect(targets[0]).toMatchObject({ target: { kind: 'dataSet', dataSetId }, isPreselected: true });
    const foreign = await uploadDraft(`code,name,${field}\nA,Alpha,1\n`, 'codes.csv', approver);
    expect(done(await approver.get(`/api/imports/${foreign.id}/targets`))[0]).toMatchObject({ target: { dataSetId } });
  });

  it('gets, as its first proposal, the data set with the name of the file', async () => {
    const { dataSetId, field } = await newTarget([]);
    const { typeId, name } = done(await steward.get(`/api/reference-data/${dataSetId}`));
    await newDataSet(steward, typeId, collectionId);
    const { id } = await uploadDraft(`code,name,${field}\nA,Alpha,1\n`, `${name.replaceAll(' ', '_')}.csv`);
    expect(done(await steward.get(`/api/imports/${id}/targets`))[0]).toMatchObject({
      ...{ target: { kind: 'dataSet', dataSetId }, isPreselected: true },
      reason: expect.stringMatching(/^It has the name of the file, 3 of 3 columns/),
    });
  });

  it('does not preselect a data set whose rows all have other keys', async () => {
    const { dataSetId, field } = await newTarget([{ code: 'A', name: 'Alpha' }]);
    const readProposal = async (rows: string) => {
      const { id } = await uploadDraft(`code,name,${field}\n${rows}`);
      const proposals = done(await steward.get(`/api/imports/${id}/targets`)) as Json[];
      return proposals.find(({ target }) => target.dataSetId === dataSetId);
    };
    expect(await readProposal('X,Xi,1\nA,Alpha,2\n')).toMatchObject({ isPreselected: true, sharesNoKey: false });
    expect(await readProposal('X,Xi,1\nY,Ypsilon,2\n')).toMatchObject({
      ...{ isPreselected: false, sharesNoKey: true },
      reason: expect.stringContaining('but no row has a key of the first records'),
    });
  });

  it('shows the outcome of each row before the import', async () => {
    const { dataSetId, field } = await newTarget([
      { code: '1', name: 'One' },
      { code: '2', name: 'Two' },
    ]);
    const { id } = await uploadDraft(`code;name;${field}\n1;One;\n2;;4,5\n3;Three;7,25\n3;Again;8,25\n`);
    await changeDraft(id, { target: { kind: 'dataSet', dataSetId } });
    const first = await runCheck(id);
    expect(first.counts).toMatchObject({ new: 1, changed: 1, unchanged: 1, invalid: 1, skipped: 0 });
    expect(first.cleared).toBe(1);
    expect(first.rows.changed).toMatchObject([{ place: 'line 3', before: ['2', 'Two', ''], after: ['2', '', '4.5'] }]);
    const [duplicates] = await readProblems(id);
    expect(duplicates).toMatchObject({ rule: 'DUPLICATE_IN_FILE', count: 1 });
    await changeDraft(id, { fixes: [{ kind: 'keep', group: duplicates?.id, which: 'last' }] });
    expect((await runCheck(id)).counts).toMatchObject({ new: 1, changed: 1, unchanged: 1, invalid: 0, skipped: 1 });
    const { jobId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Prices' }));
    expect((await endOfJob(steward, jobId)).counts).toEqual({
      ...{ total: 4, created: 1, changed: 1, unchanged: 1, failed: 0, skipped: 1 },
    });
    const rows = await waitForRows(dataSetId, 3);
    expect(rows.find((row) => row.data.code === '3')?.data).toMatchObject({ name: 'Again', [field]: 8.25 });
  });

  it('removes, in the mode "replace", unused rows that the file lacks, and an undo restores these rows', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => ({ code: String(index + 1).padStart(3, '0'), name: 'Old' }));
    const { dataSetId, field } = await newTarget(rows);
    await waitForRows(dataSetId, 60);
    const other = await newDataSet(steward, await newType(steward), collectionId, [{ code: 'x', name: 'X' }]);
    const crosswalkId = await newCrosswalk(steward, dataSetId, other);
    const mapped = ['021', '022', '023'].map((sourceValue) => ({ sourceValue, targetValue: 'x' }));
    done(await steward.post(`/api/crosswalks/${crosswalkId}/mappings`, { rows: mapped }));
    const lines = rows.slice(0, 19).map(({ code }) => `${code};New;1`);
    const { id } = await uploadDraft(`code;name;${field}\n${lines.join('\n')}\n020;New;wrong\n`);
    await changeDraft(id, { target: { kind: 'dataSet', dataSetId }, mode: 'replace' });
    const checked = await runCheck(id);
    expect(checked.counts).toEqual({ new: 0, changed: 19, unchanged: 0, invalid: 1, skipped: 0, removed: 37, kept: 3 });
    const keysWithOutcome = (outcome: string) => checked.rows[outcome].map(({ after }: Json) => after[0]).sort();
    expect(keysWithOutcome('kept')).toEqual(['021', '022', '023']);
    const { jobId } = done(await steward.post(`/api/imports/${id}/start`, { description: 'Replace' }));
    const job = await endOfJob(steward, jobId);
    expect(job).toMatchObject({ status: 'DONE', counts: { changed: 19, failed: 1, removed: 37 } });
    expect((await waitForRows(dataSetId, 23)).map((row) => row.data.code).sort()).toEqual(
      rows.slice(0, 23).map(({ code }) => code),
    );
    const { items } = done(await steward.get(`/api/jobs/${jobId}/logs?status=SKIPPED&pageSize=100`));
    expect(items.map((log: Json) => log.recordKey).sort()).toEqual(['021', '022', '023']);
    const undo = done(await steward.post(`/api/jobs/${jobId}/undo`));
    expect(await endOfJob(steward, undo.jobId)).toMatchObject({ status: 'DONE' });
    expect(new Set((await waitForRows(dataSetId, 60)).map((row) => row.data.name))).toEqual(new Set(['Old']));
  });

  it('gets the column settings of the last imported file with the same headers', async () => {
    const { dataSetId, field } = await newTarget([]);
    const headers = `Schlüssel;Bezeichnung;${uniqueName('Preis')}`;
    const first = await uploadDraft(`${headers};Rest\nA;Alpha;1,5;x\n`);
    const { typeId } = done(await steward.get(`/api/reference-data/${dataSetId}`));
    const fields = done(await steward.get(`/api/reference-types/${typeId}/schemas`)) as Json[];
    const fieldId = (name: string) => fields.find((each) => each.name === name)?.fieldId;
    await changeDraft(first.id, {
      target: { kind: 'dataSet', dataSetId },
      columns: {
        0: { field: { fieldId: fieldId('code') } },
        1: { field: { fieldId: fieldId('name') } },
        2: { field: { fieldId: fieldId(field) }, format: { decimal: ',', group: '.' } },
        3: { field: null },
      },
    });
    const { jobId } = done(await steward.post(`/api/imports/${first.id}/start`, { description: 'First' }));
    await endOfJob(steward, jobId);
    const next = await uploadDraft(`${headers};Rest\nB;Beta;2,5;x\n`);
    expect(done(await steward.get(`/api/imports/${next.id}/targets`))[0]).toMatchObject({
      ...{ target: { dataSetId }, reason: 'A file with the same columns was imported into it before' },
      isPreselected: true,
    });
    await changeDraft(next.id, { target: { kind: 'dataSet', dataSetId } });
    const { counts, rows } = await runCheck(next.id);
    expect(counts).toMatchObject({ new: 1, invalid: 0 });
    expect(rows.new[0].after).toEqual(['B', 'Beta', '2.5']);
  });

  it('matches a column with the field that an earlier import created, after the field is renamed', async () => {
    const group = uniqueName('Group');
    const file = `code,${group}\nA,1\nB,x\n`;
    const first = await uploadDraft(file, 'codes.csv');
    await changeDraft(first.id, { target: { kind: 'newDataSet', name: uniqueName('Groups') } });
    const started = done(await steward.post(`/api/imports/${first.id}/start`, { description: 'First' }));
    await endOfJob(steward, started.jobId);
    const { typeId } = done(await steward.get(`/api/reference-data/${started.dataSetId}`));
    const schemas = withFieldChange(await fieldsOf(steward, typeId), group, { name: 'Class' });
    done(await steward.put(`/api/reference-types/${typeId}/schemas`, { schemas }));
    const next = await uploadDraft(file, 'codes.csv');
    await changeDraft(next.id, { target: { kind: 'dataSet', dataSetId: started.dataSetId } });
    expect(await runCheck(next.id)).toMatchObject({ fields: ['code', 'Class'], counts: { unchanged: 2 } });
  });

  it('is accepted only from users with WRITE on a data set', async () => {
    const { dataSetId } = await newTarget([]);
    // A new user, because other tests may grant the sample users WRITE.
    const { person: reader } = await createSignedInUser(admin, 4);
    const refused = await reader.post('/api/imports', fileForm('code\nA\n'));
    expect(refused.status).toBe(403);
    const { id } = await uploadDraft('code,name\nA,Alpha\n', 'codes.csv', approver);
    expect((await approver.patch(`/api/imports/${id}`, { target: { kind: 'dataSet', dataSetId } })).status).toBe(200);
    const unknown = await approver.patch(`/api/imports/${id}`, { target: { kind: 'dataSet', dataSetId: 999_999 } });
    expect(unknown.status).toBe(404);
  });
});

const fileForm = (content: string): FormData => {
  const form = new FormData();
  form.set('file', new File([content], 'codes.csv'));
  return form;
};

describe('a file of mappings', () => {
  it('is imported through the routes of its crosswalk', async () => {
    const [source, target] = [
      await newDataSet(steward, await newType(steward), collectionId, [{ code: 'a', name: 'A' }]),
      await newDataSet(steward, await newType(steward), collectionId, [{ code: 'x', name: 'X' }]),
    ];
    const crosswalkId = await newCrosswalk(steward, source, target);
    const { id } = await uploadDraft('sourceValue,targetValue\na,x\n', 'mappings.csv');
    const targets = done(await steward.get(`/api/imports/${id}/targets`));
    expect(targets).toContainEqual(expect.objectContaining({ target: { kind: 'crosswalk', crosswalkId } }));
    expect((await viewer.patch(`/api/imports/${id}`, { target: { kind: 'crosswalk', crosswalkId } })).status).toBe(404);
    await changeDraft(id, { target: { kind: 'crosswalk', crosswalkId } });
    expect((await steward.post(`/api/imports/${id}/validate`)).status).toBe(400);
    const preview = done(await steward.post(`/api/crosswalks/${crosswalkId}/mappings/import-preview`, { fileId: id }));
    expect(preview.counts).toMatchObject({ new: 1 });
    const { jobId } = done(await steward.post(`/api/crosswalks/${crosswalkId}/mappings/import`, { fileId: id }));
    expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE', jobType: 'CROSSWALK_MAPPINGS_IMPORT' });
    const mine = done(await steward.get('/api/imports'));
    expect(mine.map((draft: Json) => draft.id)).not.toContain(id);
  });
});

describe('an API key', () => {
  it('imports into a data set of its scopes, but creates no data set', async () => {
    const { client } = await newKey(admin, [[collectionId, 'write']]);
    const typeId = await newType(steward);
    const dataSetId = await newDataSet(steward, typeId, collectionId, []);
    const { id } = done(await client.post('/api/imports', fileForm('code,name\nK,Key\n')));
    await client.eventually(`/api/imports/${id}`, ({ body }) => body.state === 'READY');
    done(await client.patch(`/api/imports/${id}`, { target: { kind: 'newDataSet', name: uniqueName('By key') } }));
    expect((await client.post(`/api/imports/${id}/start`, { description: 'By key' })).status).toBe(403);
    done(await client.patch(`/api/imports/${id}`, { target: { kind: 'dataSet', dataSetId } }));
    const { jobId } = done(await client.post(`/api/imports/${id}/start`, { description: 'By key' }));
    expect(await endOfJob(steward, jobId)).toMatchObject({ status: 'DONE', counts: { created: 1 } });
  });
});
