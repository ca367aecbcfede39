/** Tests the activities of the audit log: one per command, and one per job with all its steps. */
import { ACTIVITY_FACTS_MAX, streams } from '@rdm/contracts';
import type { LoggedEvent, Pool } from '@rdm/platform';
import { checksums, type Projection, projections } from '@rdm/projector';
import { describe, expect, it } from 'vitest';
import { eventually, MemoryLog, schemaOf, useProjectorEnvironment, waitUntilProjected } from './environment.ts';
import { recorder } from './generated-history.ts';

const environment = useProjectorEnvironment();
const activities = projections.find(({ name }) => name === 'audit_activities') as Projection;
const ONE_BY_ONE = { events: 1, bytes: 1, rows: 1 };
const COUNTS = { total: 5, created: 3, changed: 1, unchanged: 0, failed: 1, skipped: 0 };
const [IMPORT, DECISION, UNDO, CREATION] = ['import', 'decision', '8f6c2f38-1ab2-4c0e-9a53-0f2d7f7f1a10', 'creation'];
const DATA_SET = 12;

/**
 * Returns the events of an import in several commands, a decision that runs as a job, its undo, and a creation that
 * claims a name.
 */
function history(): LoggedEvent[] {
  const record = recorder();
  const add = (commandId: string, stream: string, type: string, data: object): LoggedEvent => {
    const event = record({ type, data, stream, actorId: 4, dataSetIds: [DATA_SET] } as never);
    return { ...event, metadata: { ...event.metadata, $causationId: commandId } };
  };
  const job = streams.importJob(7);
  const decision = streams.bulkDecision(8);
  const imported = (bucket: number, ...ids: number[]) =>
    add(`step ${bucket}`, streams.instances(DATA_SET, bucket), 'InstancesImported', {
      jobId: 7,
      schemaRevision: 1,
      keyFieldIds: [1],
      fieldIds: [1],
      rows: ids.map((id) => [id, `row ${id}`]),
    });
  return [
    add(IMPORT, job, 'ImportRequested', {
      ...{ jobId: 7, jobType: 'DATASET_INSTANCES_IMPORT', dataSetId: DATA_SET, description: 'Spring', mode: 'upsert' },
      ...{
        fileId: '4ff4b2a2-9d75-4b7d-8b2a-60f2f8a3b6c1',
        fileHash: 'h',
        columns: {},
        delimiter: ',',
        encoding: 'utf-8',
      },
      ...{ hasHeader: true, allOrNothing: false },
    }),
    add('step start', job, 'ImportStarted', { schemaRevision: 1 }),
    imported(1, 65, 129),
    add(CREATION, 'names-types', 'NameClaimed', { name: 'article', ownerId: 5 }),
    imported(2, 66),
    add('step change', streams.instances(DATA_SET, 3), 'InstancesChanged', {
      schemaRevision: 1,
      jobId: 7,
      rows: [{ id: 67, values: { 1: 'x' } }],
    }),
    add(CREATION, 'referenceType-5', 'ReferenceTypeDefined', { id: 5, name: 'Article', description: '', fields: [] }),
    add('step end', job, 'ImportCompleted', { counts: COUNTS }),
    add(DECISION, decision, 'BulkDecisionRequested', {
      ...{ jobId: 8, commandId: UNDO, description: 'Approve', dataSetIds: [DATA_SET], total: 2 },
      ...{ jobType: 'BULK_DECISION', fileId: null },
    }),
    add(DECISION, streams.mappings(3, 1), 'MappingsApproved', { ids: [65] }),
    add(DECISION, streams.mappings(3, 2), 'MappingsApproved', { ids: [66], comment: 'fine' }),
    add('end of the decision', decision, 'BulkDecisionCompleted', { counts: { ...COUNTS, total: 2 } }),
    add(UNDO, streams.mappings(3, 1), 'MappingsUndone', {
      undoes: DECISION,
      rows: [{ id: 65, to: { approvalStatus: 'PENDING' } }],
    }),
  ];
}

async function projectEvents(events: readonly LoggedEvent[], limits?: typeof ONE_BY_ONE) {
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...events);
  const { projector } = environment.project(url, log, { projections: [activities], ...(limits ? { limits } : {}) });
  await waitUntilProjected(pool, events.length);
  return { pool, projector };
}

const readChecksums = async (pool: Pool) => checksums(pool, await schemaOf(pool, activities.name), activities);

describe('activities', () => {
  it('are recorded once per command, and once for all steps of a job', async () => {
    const { pool } = await projectEvents(history());
    const { rows } = await pool.query(
      `SELECT key, id, last_seq, events, verb, subject_type, subject_id, created, changed, decided, rows, comment, undoes,
        job ->> 'status' AS job, only_row IS NOT NULL AS single, subjects, status_after
       FROM ${await schemaOf(pool, activities.name)}.audit_activities ORDER BY id`,
    );
    const activityOf = (key: string) => rows.find((row) => row.key === key);
    expect(rows.map(({ key }) => key)).toEqual([IMPORT, CREATION, DECISION, UNDO]);
    expect(activityOf(IMPORT)).toMatchObject({
      ...{ id: 1, last_seq: 8, events: 6, verb: 'imported', subject_type: 'dataSet', subject_id: DATA_SET },
      ...{
        created: 3,
        changed: 1,
        rows: 4,
        job: 'DONE',
        single: false,
        subjects: ['importJob:7', `dataSet:${DATA_SET}`],
      },
    });
    expect(activityOf(CREATION)).toMatchObject({
      events: 2,
      verb: 'created',
      subject_type: 'referenceType',
      subject_id: 5,
    });
    expect(activityOf(DECISION)).toMatchObject({
      events: 4,
      verb: 'approved',
      decided: 2,
      comment: 'fine',
      job: 'DONE',
    });
    expect(activityOf(UNDO)).toMatchObject({ verb: 'undid', undoes: DECISION, single: true, status_after: 'PENDING' });
  });

  it('keep causes before consequences if there are more facts than the maximum', async () => {
    const record = recorder();
    const add = (stream: string, type: string, data: object): LoggedEvent => {
      const event = record({ type, data, stream, actorId: 4, dataSetIds: [DATA_SET] } as never);
      return { ...event, metadata: { ...event.metadata, $causationId: 'deletion' } };
    };
    const { pool } = await projectEvents([
      add(streams.crosswalk(3), 'CrosswalkDeleted', {}),
      ...Array.from({ length: ACTIVITY_FACTS_MAX + 5 }, (_, index) =>
        add(streams.dataSet(100 + index), 'CrosswalkUnregistered', { crosswalkId: 3 }),
      ),
      add(streams.crosswalk(4), 'CrosswalkDeleted', {}),
    ]);
    const schema = await schemaOf(pool, activities.name);
    const { rows } = await pool.query<{ facts: { action: string; entityId: number }[] }>(
      `SELECT facts FROM ${schema}.audit_activities`,
    );
    const facts = rows[0]?.facts ?? [];
    expect(facts).toHaveLength(ACTIVITY_FACTS_MAX);
    expect(facts.filter(({ action }) => action === 'CrosswalkDeleted').map(({ entityId }) => entityId)).toEqual([3, 4]);
    expect(new Set(facts.map(({ entityId }) => entityId)).size).toBe(ACTIVITY_FACTS_MAX);
  });

  it('are the same in small batches, for repeated events and after a rebuild', async () => {
    const events = history();
    const [inOneBatch, oneByOne] = [await projectEvents(events), await projectEvents(events, ONE_BY_ONE)];
    const expected = await readChecksums(inOneBatch.pool);
    expect(await readChecksums(oneByOne.pool)).toEqual(expected);

    const schema = await schemaOf(oneByOne.pool, activities.name);
    const client = await oneByOne.pool.connect();
    const repeatedEvents = events.map((event, index) => ({
      ...event,
      seq: index + 1,
      category: event.stream.split('-')[0] as string,
      entityId: Number((event.stream.split('-')[1] as string).split('.')[0]),
    }));
    await activities.apply({ client, schema }, repeatedEvents as never);
    client.release();
    const contentOf = (pool: Pool, inSchema: string) =>
      pool.query(`SELECT to_jsonb(a) - 'valid_from' AS row FROM ${inSchema}.audit_activities a ORDER BY id`);
    expect((await contentOf(oneByOne.pool, schema)).rows).toEqual(
      (await contentOf(inOneBatch.pool, await schemaOf(inOneBatch.pool, activities.name))).rows,
    );

    const [build] = (await inOneBatch.projector.rebuilder?.rebuild(activities)) ?? [];
    await eventually(async () => expect(await schemaOf(inOneBatch.pool, activities.name)).toBe(build?.schema));
    expect(await readChecksums(inOneBatch.pool)).toEqual(expected);
  });
});
