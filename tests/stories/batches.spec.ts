/** An undo reverses the changes of one command, except in rows that were changed later. */
import { randomUUID } from 'node:crypto';
import { DATA_SET_ROWS_NOT_IN_BATCH, REVIEW_REFUSALS } from '@rdm/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { done, newCollection, newCrosswalk, newDataSet, newType, rowsOf, userIds } from './fixtures.ts';
import { type HttpClient, type Json, signInAs } from './http-client.ts';
import { createSignedInUser } from './signed-in-user.ts';

interface Batch {
  commandId: string;
  rows: { id: number; revision: number }[];
}

let steward: HttpClient;
let approver: HttpClient;
/** A second approver. */
let another: HttpClient;
let admin: HttpClient;
let ids: Record<string, number>;
let anotherId: number;
let source: number;
let target: number;

beforeAll(async () => {
  [steward, approver, admin] = await Promise.all([signInAs('steward'), signInAs('approver'), signInAs('admin')]);
  ids = await userIds(steward);
  ({ person: another, id: anotherId } = await createSignedInUser(admin, 3));
  const grant = (entityId: number | undefined, permissionLevel: string) => ({
    entityType: 'user',
    entityId,
    permissionLevel,
  });
  const collectionId = await newCollection(steward, [
    grant(ids['approver'], 'APPROVER'),
    grant(anotherId, 'APPROVER'),
    grant(ids['viewer'], 'READ'),
  ]);
  const typeId = await newType(steward);
  const rows = [{ code: 'a' }, { code: 'b' }, { code: 'c' }];
  source = await newDataSet(steward, typeId, collectionId, rows);
  target = await newDataSet(steward, typeId, collectionId, rows);
});

const batchOf = (body: Json): Batch => ({ commandId: body.commandId, rows: rowsOf(body) });

/** Creates a crosswalk with mappings under review. */
async function createSubmitted(count: number) {
  const id = await newCrosswalk(steward, source, target);
  const path = `/api/crosswalks/${id}/mappings`;
  const pairs = Array.from({ length: count }, (_, index) => ({ sourceValue: `s${index}`, targetValue: `t${index}` }));
  const drafting = batchOf(done(await steward.post(path, { rows: pairs })));
  const submitting = batchOf(done(await steward.post(`${path}/submit`, { rows: drafting.rows })));
  const review = async (person: HttpClient, verb: string, rows: Batch['rows']) =>
    batchOf(done(await person.post(`${path}/${verb}`, { rows, comment: 'because' })));
  const row = async (rowId: number): Promise<Json> =>
    done(await steward.get(`${path}?pageSize=1000`)).items.find((item: Json) => item.id === rowId);
  return { id, path, drafting, submitting, review, row };
}

const undo = (person: HttpClient, { commandId }: Pick<Batch, 'commandId'>, key = randomUUID()) =>
  person.post(`/api/batches/${commandId}/undo`, {}, { key });

/** Returns a batch once the read models have it. */
const readBatch = async (person: HttpClient, { commandId }: Batch): Promise<Json> =>
  (await person.eventually(`/api/batches/${commandId}`, ({ status }) => status === 200)).body;

/** Waits until a tab of the list contains this number of rows. */
const waitForCount = (path: string, tab: string, count: number) =>
  steward.eventually(`${path}?tab=${tab}`, ({ body }) => body.total === count);

describe('the undo of an approval', () => {
  it('returns the rows to review with their submitter and authors', async () => {
    const { path, submitting, review, row } = await createSubmitted(2);
    const approving = await review(approver, 'approve', submitting.rows);
    const undone = done(await undo(approver, approving));
    expect(undone).toMatchObject({ done: 2, refused: 0 });
    await waitForCount(path, 'pending', 2);
    for (const { id } of submitting.rows) {
      expect(await row(id)).toMatchObject({
        status: 'PENDING',
        served: null,
        submittedBy: ids['steward'],
        authors: [ids['steward']],
        approvedBy: null,
        approvedAt: null,
      });
    }
    const ownDecision = done(await steward.post(`${path}/approve`, { rows: rowsOf(undone) }));
    expect(ownDecision.results).toMatchObject([{ code: 'FOUR_EYES' }, { code: 'FOUR_EYES' }]);
    expect(await review(another, 'approve', rowsOf(undone))).toMatchObject({ rows: [{}, {}] });
  });

  it('is not offered to the author of the rows', async () => {
    const { submitting, review } = await createSubmitted(2);
    const approving = await review(approver, 'approve', submitting.rows);
    const path = `/api/batches/${approving.commandId}`;
    const batchOfSteward = await steward.eventually(path, ({ body }) => body.count === 2);
    expect(batchOfSteward.body.undo).toMatchObject({
      possible: false,
      count: 0,
      ownCount: 2,
      message: REVIEW_REFUSALS.FOUR_EYES,
    });
    expect(done(await undo(steward, approving)).results).toMatchObject([{ code: 'FOUR_EYES' }, { code: 'FOUR_EYES' }]);
    expect(done(await approver.get(path)).undo).toMatchObject({ possible: true, count: 2, ownCount: 0 });
  });

  it('lists the row under review again, and the undone decision among the decided items', async () => {
    const { id, path, submitting, review } = await createSubmitted(1);
    const approving = await review(approver, 'approve', submitting.rows);
    // `decisionId` is the id of the command that an undo names. The filter contains the kind of the parent, because a
    // relationship can have the same id as the crosswalk.
    const conditions = [{ field: 'parent', operator: 'equals', value: `crosswalk:${id}` }];
    const filter = JSON.stringify({ logic: 'AND', conditions });
    const list = `/api/approvals?tab=decided&filter=${encodeURIComponent(filter)}`;
    const decided = done(await approver.get(list)).items;
    expect(decided).toMatchObject([{ kind: 'mapping', status: 'APPROVED', decisionId: approving.commandId }]);
    await undo(approver, approving);
    const pendingItems = await another.eventually('/api/approvals?pageSize=1000', ({ body }) =>
      body.items.some((item: Json) => item.kind === 'mapping' && item.parentId === id),
    );
    const item = pendingItems.body.items.find((each: Json) => each.kind === 'mapping' && each.parentId === id);
    expect(item).toMatchObject({
      status: 'PENDING',
      submittedBy: ids['steward'],
      decidedBy: null,
      decidedAt: null,
      decisionId: null,
      undoneAt: null,
    });
    // The undone decision is still listed, with the user who undid the decision.
    const undone = await approver.eventually(list, ({ body }) => body.items[0]?.undoneAt !== null);
    expect(undone.body.items).toMatchObject([
      {
        kind: 'mapping',
        status: 'APPROVED',
        decidedBy: ids['approver'],
        decidedAt: decided[0].decidedAt,
        decisionId: approving.commandId,
        before: null,
        after: item.after,
        undoneBy: ids['approver'],
        undoneAt: expect.any(String),
        parentGone: false,
      },
    ]);
    const submissions = done(await steward.get(list.replace('tab=decided', 'tab=submitted'))).items;
    expect(submissions.filter(({ kind }: Json) => kind === 'mapping')).toMatchObject([{ status: 'PENDING' }]);
    // After another decision, both decisions are listed.
    const [pendingRow] = submitting.rows;
    done(await another.post(`${path}/reject`, { rows: [{ ...pendingRow, revision: item.revision }], comment: 'no' }));
    const bothDecisions = await approver.eventually(list, ({ body }) => body.total === 2);
    expect(bothDecisions.body.items).toMatchObject([
      { status: 'REJECTED', undoneAt: null },
      { status: 'APPROVED', undoneBy: ids['approver'] },
    ]);
    const history = await steward.eventually(`${path}/${pendingRow?.id}/history`, ({ body }) => body.total === 5);
    expect(history.body.items[1]).toMatchObject({
      type: 'MappingsUndone',
      prevStatus: 'APPROVED',
      newStatus: 'PENDING',
      userId: ids['approver'],
    });
  });

  it('serves the previously approved value again', async () => {
    const { path, submitting, review, row } = await createSubmitted(1);
    const first = await review(approver, 'approve', submitting.rows);
    const [approved] = first.rows;
    const edit = { ...approved, targetValue: 'other' };
    const edited = rowsOf(done(await steward.patch(path, { rows: [edit] })));
    const resubmitted = rowsOf(done(await steward.post(`${path}/submit`, { rows: edited })));
    const second = await review(another, 'approve', resubmitted);
    done(await undo(another, second));
    await waitForCount(path, 'pending', 1);
    expect(await row(approved?.id ?? 0)).toMatchObject({
      targetValue: 'other',
      served: { targetValue: 't0' },
      approvedBy: ids['approver'],
      authors: [ids['steward']],
    });
  });

  it('refuses rows that were changed later, with the user and the time of the change', async () => {
    const { path, submitting, review } = await createSubmitted(3);
    const approving = await review(approver, 'approve', submitting.rows);
    const [first] = approving.rows;
    done(await steward.patch(path, { rows: [{ ...first, targetValue: 'later' }] }));
    await approver.eventually(`/api/batches/${approving.commandId}`, ({ body }) => body.undo?.laterCount === 1);
    expect(await readBatch(approver, approving)).toMatchObject({
      userId: ids['approver'],
      comment: 'because',
      count: 3,
      undo: { possible: true, count: 2, laterCount: 1 },
      parts: [
        {
          kind: 'mapping',
          did: 'approved',
          count: 3,
          laterCount: 1,
          later: [{ id: first?.id, changedBy: ids['steward'] }],
        },
      ],
    });
    const undone = done(await undo(approver, approving));
    expect(undone).toMatchObject({ done: 2, refused: 1 });
    const refused = undone.results.find((row: Json) => row.outcome === 'refused');
    expect(refused).toMatchObject({ id: first?.id, code: 'LATER', changedBy: ids['steward'] });
    expect(Date.parse(refused.changedAt)).not.toBeNaN();
  });

  it('takes effect once when it is sent several times', async () => {
    const { submitting, review } = await createSubmitted(2);
    const approving = await review(approver, 'approve', submitting.rows);
    const key = randomUUID();
    const first = done(await undo(approver, approving, key));
    expect(done(await undo(approver, approving, key))).toEqual(first);
    // A second undo is refused for all rows, and an undo cannot be undone.
    expect(done(await undo(approver, approving)).results).toMatchObject([{ code: 'LATER' }, { code: 'LATER' }]);
    expect(done(await undo(approver, first)).results).toMatchObject([{ code: 'UNDO' }, { code: 'UNDO' }]);
  });
});

describe('undo', () => {
  it('is refused for other approvers and readers, and allowed for administrators', async () => {
    const { submitting, review } = await createSubmitted(1);
    const approving = await review(approver, 'approve', submitting.rows);
    expect(done(await undo(another, approving)).results).toMatchObject([{ code: 'NOT_DOER' }]);
    expect((await readBatch(another, approving)).undo).toMatchObject({ possible: false, count: 0 });
    expect(await undo(await signInAs('viewer'), approving)).toMatchObject({ status: 403 });
    expect(done(await undo(admin, approving)).results).toMatchObject([{ outcome: 'done' }]);
  });

  it('returns 404 for a batch that does not exist', async () => {
    expect(await undo(steward, { commandId: randomUUID() })).toMatchObject({ status: 404 });
    expect(await undo(steward, { commandId: 'x' })).toMatchObject({ status: 404 });
    expect(await steward.get(`/api/batches/${randomUUID()}`)).toMatchObject({ status: 404 });
  });
});

describe('a command that changed rows of a data set', () => {
  it('cannot be undone, and only its sender receives the reason', async () => {
    const added = batchOf(
      done(await steward.post(`/api/reference-data/${source}/instances`, { data: { code: 'one' } })),
    );
    expect(await undo(steward, added)).toMatchObject({
      status: 409,
      body: { code: 'CONFLICT', error: DATA_SET_ROWS_NOT_IN_BATCH },
    });
    const response = await steward.eventually(
      `/api/batches/${added.commandId}`,
      ({ body }) => body.error === DATA_SET_ROWS_NOT_IN_BATCH,
    );
    expect(response.status).toBe(404);
    const notFound = { status: 404, body: { error: 'This batch does not exist, or is too old to be undone' } };
    expect(await undo(another, added)).toMatchObject(notFound);
    expect(await undo(admin, added)).toMatchObject(notFound);
  });
});

describe('the undo of other commands', () => {
  it('returns a rejected row to review', async () => {
    const { path, submitting, review, row } = await createSubmitted(1);
    const rejecting = await review(approver, 'reject', submitting.rows);
    const [undone] = rowsOf(done(await undo(approver, rejecting)));
    // Wait for the new revision, because the row was pending before the rejection too.
    await steward.eventually(`${path}?tab=pending`, ({ body }) => body.items[0]?.revision === undone?.revision);
    expect(await row(rejecting.rows[0]?.id ?? 0)).toMatchObject({
      submittedBy: ids['steward'],
      authors: [ids['steward']],
      rejectedBy: null,
      rejectionReason: null,
    });
  });

  it('returns a revoked value to review without serving it', async () => {
    const { path, submitting, review, row } = await createSubmitted(1);
    const approving = await review(approver, 'approve', submitting.rows);
    const revoking = await review(approver, 'revoke', approving.rows);
    const undone = rowsOf(done(await undo(approver, revoking)));
    await waitForCount(path, 'pending', 1);
    expect(await row(undone[0]?.id ?? 0)).toMatchObject({
      status: 'PENDING',
      served: null,
      submittedBy: ids['approver'],
    });
    // Neither the user who undoes the revocation nor the authors of the value may approve it.
    for (const person of [approver, steward]) {
      const ownDecision = done(await person.post(`${path}/approve`, { rows: undone }));
      expect(ownDecision.results).toMatchObject([{ code: 'FOUR_EYES' }]);
    }
    expect((await review(another, 'approve', undone)).rows).toHaveLength(1);
  });

  it('reverses a submission, a deletion and a draft', async () => {
    const { path, drafting, submitting, row } = await createSubmitted(1);
    const [id = 0] = drafting.rows.map((each) => each.id);
    // Submitting the first values submitted the crosswalk too, so the undo recalls both.
    const recalled = done(await undo(steward, submitting));
    expect(recalled.results.map((each: Json) => each.kind).sort()).toEqual(['crosswalk', 'mapping']);
    expect(await row(id)).toMatchObject({ status: 'DRAFT' });
    const mappings = rowsOf({ results: recalled.results.filter((each: Json) => each.kind === 'mapping') });
    const deleting = batchOf(done(await steward.delete(path, { rows: mappings })));
    expect(await row(id)).toBeUndefined();
    done(await undo(steward, deleting));
    expect(await row(id)).toMatchObject({ status: 'DRAFT', revision: 5 });
    const newRows = batchOf(done(await steward.post(path, { rows: [{ sourceValue: 'new', targetValue: 'pair' }] })));
    done(await undo(steward, newRows));
    expect(await row(newRows.rows[0]?.id ?? 0)).toBeUndefined();
  });

  it('reverses a decision on a crosswalk for the approver, but not for the author', async () => {
    const { id } = await createSubmitted(1);
    const path = `/api/crosswalks/${id}`;
    const approved = done(await approver.post(`${path}/approve`, {}));
    await steward.eventually(path, ({ body }) => body.isServed === true);
    expect(done(await undo(steward, approved)).results).toMatchObject([{ code: 'FOUR_EYES' }]);
    expect(done(await undo(approver, approved))).toMatchObject({ done: 1, refused: 0 });
    const { body } = await steward.eventually(path, ({ body }) => body.approvalStatus === 'PENDING');
    expect(body).toMatchObject({ isServed: false, submittedBy: ids['steward'] });
  });

  it('reverses a decision on values of a relationship', async () => {
    const { id } = done(
      await steward.post('/api/relationships', {
        name: `Part of ${randomUUID()}`,
        sourceDataSetId: source,
        targetDataSetId: target,
        sourceField: 'code',
        targetField: 'code',
        cardinality: 'MANY_TO_ONE',
      }),
    );
    const path = `/api/relationships/${id}/values`;
    const drafted = rowsOf(done(await steward.post(path, { rows: [{ sourceKey: 'a', targetKey: 'a' }] })));
    const pending = rowsOf(done(await steward.post(`${path}/submit`, { rows: drafted })));
    const items = pending.map((row) => ({ ...row, kind: 'relationship-value', parentId: id }));
    const approving = batchOf(done(await approver.post('/api/approvals/decide', { decision: 'approve', items })));
    expect(done(await undo(approver, approving)).results).toMatchObject([
      { kind: 'relationship-value', parentId: id, outcome: 'done' },
    ]);
    const { body } = await waitForCount(path, 'pending', 1);
    expect(body.items).toMatchObject([{ served: null, submittedBy: ids['steward'], authors: [ids['steward']] }]);
  });
});

describe('concurrent decisions', () => {
  it('decide each of 1,000 rows once, and refusals name the user who decided', async () => {
    const { path, submitting } = await createSubmitted(1_000);
    const decide = (person: HttpClient, verb: string, rows: Batch['rows']) =>
      person.post(`${path}/${verb}`, { rows, comment: 'at once' });
    const [approval, rejection] = await Promise.all([
      decide(approver, 'approve', submitting.rows),
      decide(another, 'reject', [...submitting.rows].reverse()),
    ]);
    const resultsOf = (body: Json, outcome: string): Json[] =>
      body.results.filter((row: Json) => row.outcome === outcome);
    const [approved, rejected] = [resultsOf(done(approval), 'done'), resultsOf(done(rejection), 'done')];
    expect(new Set([...approved, ...rejected].map(({ id }) => id)).size).toBe(1_000);
    expect(approved.length + rejected.length).toBe(1_000);
    for (const [refused, decidedBy] of [
      [resultsOf(approval.body, 'refused'), anotherId],
      [resultsOf(rejection.body, 'refused'), ids['approver']],
    ] as const) {
      expect(new Set(refused.map(({ code, changedBy }: Json) => `${code} ${changedBy}`)).size).toBeLessThan(2);
      for (const row of refused) expect(row).toMatchObject({ code: 'STALE', changedBy: decidedBy });
    }
    await waitForCount(path, 'approved', approved.length);
    await waitForCount(path, 'rejected', rejected.length);
  });
});

describe('a decision on a selection', () => {
  it('decides only the rows of the frozen selection', async () => {
    const { id, path, submitting } = await createSubmitted(20);
    await waitForCount(path, 'pending', 20);
    await approver.eventually(`${path}?tab=pending`, ({ body }) => body.total === 20);
    const frozen = done(await approver.post('/api/selections', { kind: 'mappings', parentId: id, tab: 'pending' }));
    expect(frozen.count).toBe(20);
    const late = Array.from({ length: 10 }, (_, index) => ({ sourceValue: `late ${index}`, targetValue: 'x' }));
    const drafted = rowsOf(done(await steward.post(path, { rows: late })));
    done(await steward.post(`${path}/submit`, { rows: drafted }));
    const decided = done(await approver.post(`${path}/approve`, { selectionId: frozen.selectionId }));
    const decidedIds = decided.results.map((row: Json) => row.id).sort();
    expect(decidedIds).toEqual(submitting.rows.map((row) => row.id).sort());
    expect(decided).toMatchObject({ done: 20, refused: 0 });
    await waitForCount(path, 'pending', 10);
    await waitForCount(path, 'approved', 20);
  });
});
