/** Validation tests: rows are checked as in an import, for users with access, and are not stored. */
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAccount, PASSWORD, queryDatabase } from './accounts.ts';
import { done } from './fixtures.ts';
import { HttpClient, type Json, uniqueName } from './http-client.ts';
import { admin, dataSetId, prepareValidation, steward, typeId, validate } from './validation-requests.ts';

prepareValidation();

const INVALID_ROWS =
  'code,name,size,since,colour\nAT,Austria,many,31.01.2024,red\n,Nowhere,1,,\nDE,Germany\nFR,,,,\nFR,,,,\n';

describe('a validation test', () => {
  it('reports every problem of every row, against a data set and against its type', async () => {
    for (const target of [`dataSetId=${dataSetId}`, `referenceTypeId=${typeId}`]) {
      const { status, body } = await validate(steward, target, INVALID_ROWS);
      expect(status).toBe(200);
      expect(body).toMatchObject({ format: 'csv', rows: 5, validRows: 1, invalidRows: 4, moreProblems: 0 });
      expect(body.rules.map(({ name, rows }: Json) => [name, rows])).toEqual([
        ['Unknown column', 0],
        ['Too many or too few fields', 1],
        ['Missing key', 1],
        ['Duplicate key', 1],
        ['Wrong data type', 1],
      ]);
      expect(body.problems.map(({ line, column, value }: Json) => [line, column, value])).toEqual([
        [1, 'colour', null],
        [2, 'size', 'many'],
        [2, 'since', '31.01.2024'],
        [3, 'code', ''],
        [4, null, null],
        [6, 'code', 'FR'],
      ]);
    }
  });

  it('reports the same valid and invalid rows as an import', async () => {
    const { body } = await validate(steward, `dataSetId=${dataSetId}`, INVALID_ROWS);
    const form = new FormData();
    form.set('dataSetId', String(dataSetId));
    form.set('file', new Blob([INVALID_ROWS]), 'rows.csv');
    const { id } = done(await steward.post('/api/imports', form));
    const start = { description: uniqueName('Import'), mode: 'upsert' };
    const { jobId } = done(await steward.post(`/api/imports/${id}/start`, start));
    const job = await steward.eventually(`/api/jobs/${jobId}`, (answer) => answer.body.status === 'DONE');
    expect(job.body.counts).toMatchObject({ total: body.rows, failed: body.invalidRows });
    const logs = done(await steward.get(`/api/jobs/${jobId}/logs?sort=recordIndex`));
    const importProblems = logs.items.flatMap(({ recordIndex, errorDetails }: Json) =>
      (errorDetails ?? []).map((problem: Json) => [recordIndex, problem.column, problem.rule, problem.fix]),
    );
    const problems = body.problems.filter(({ rule }: Json) => rule !== 'UNKNOWN_COLUMN');
    expect(importProblems.sort()).toEqual(
      problems.map(({ line, column, reason, fix }: Json) => [line, column, reason, fix]).sort(),
    );
  });

  it('reads JSON, and reports a text in a field for numbers as a problem', async () => {
    const rows = [{ code: 'AT', size: '1' }, { code: 'AT' }];
    const { body } = await validate(steward, `dataSetId=${dataSetId}`, JSON.stringify(rows));
    expect(body).toMatchObject({ format: 'json', rows: 2, validRows: 1 });
    expect(body.problems).toMatchObject([{ line: 1, column: 'size', reason: '"1" is not a number' }]);
  });

  it('stores neither the file nor the request', async () => {
    const { id, username } = await createAccount(admin, { roleId: 2 });
    const person = new HttpClient();
    done(await person.signIn(username, PASSWORD));
    const requestId = randomUUID();
    const { status } = await validate(person, `referenceTypeId=${typeId}`, INVALID_ROWS, requestId);
    expect(status).toBe(200);
    const storedCounts = await queryDatabase(
      `SELECT (SELECT count(*) FROM command.staged_files WHERE owner_id = $1)::int AS files,
              (SELECT count(*) FROM command.commands WHERE principal = $2 AND name <> 'SignIn')::int AS commands,
              (SELECT count(*) FROM identity.request_contexts WHERE request_id = $3)::int AS requests`,
      [id, `user:${id}`, requestId],
    );
    expect(storedCounts).toEqual([{ files: 0, commands: 0, requests: 0 }]);
  });

  it.each([
    ['an empty file', '', 400, 'There are no rows to validate'],
    ['a file of white space', ' \n\t\n', 400, 'There are no rows to validate'],
    ['broken JSON', '[{"code": "AT"},\n {"code": }]', 400, 'The file is not valid JSON at line 2, column 11'],
    ['more than 10 MiB', 'x'.repeat(10 * 1024 * 1024 + 1), 413, 'The file is too large: at most 10 MiB'],
  ])('refuses %s', async (_, content, expected, reason) => {
    const { status, body } = await validate(steward, `dataSetId=${dataSetId}`, content);
    expect([status, body.error]).toEqual([expected, expect.stringContaining(reason)]);
  });

  it('requires exactly one existing target', async () => {
    const reason = { error: 'Name what to validate against: either dataSetId or referenceTypeId' };
    expect(await validate(steward, '', 'code\nA')).toMatchObject({ status: 400, body: reason });
    const bothTargets = `dataSetId=${dataSetId}&referenceTypeId=${typeId}`;
    expect(await validate(steward, bothTargets, 'code\nA')).toMatchObject({ status: 400, body: reason });
    expect((await validate(steward, 'dataSetId=x', 'code\nA')).status).toBe(400);
    expect((await validate(steward, 'dataSetId=999999999', 'code\nA')).status).toBe(404);
    expect((await validate(steward, 'referenceTypeId=999999999', 'code\nA')).status).toBe(404);
  });

  it('requires the rights to its page and to its target', async () => {
    const createUserWithRoutes = async (routes: string[]): Promise<HttpClient> => {
      const role = done(
        await admin.post('/api/roles', { name: uniqueName('Role'), description: '', routes, abilities: [] }),
      );
      const { username } = await createAccount(admin, { roleId: role.id });
      const person = new HttpClient();
      done(await person.signIn(username, PASSWORD));
      return person;
    };
    const [tester, reader] = [
      await createUserWithRoutes(['/validation-test']),
      await createUserWithRoutes(['/reference-types']),
    ];
    expect(await validate(tester, `dataSetId=${dataSetId}`, 'code\nA')).toMatchObject({
      status: 404,
      body: { error: 'This data set does not exist' },
    });
    expect(await validate(tester, `referenceTypeId=${typeId}`, 'code\nA')).toMatchObject({
      status: 403,
      body: { error: 'Your role does not include /reference-types' },
    });
    expect(await validate(reader, `referenceTypeId=${typeId}`, 'code\nA')).toMatchObject({
      status: 403,
      body: { error: 'Your role does not include /validation-test' },
    });
  });
});
