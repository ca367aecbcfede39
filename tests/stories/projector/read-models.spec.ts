/**
 * Tests that read models equal the states that the folds in contracts compute from the same events, that the approvals
 * keep decided submissions, and that a batch publishes its changes.
 */
import {
  type AccessEvent,
  type Crosswalk,
  type CrosswalkEvent,
  type DataSet,
  type DataSetEvent,
  emptyAccess,
  emptyInstanceBucket,
  emptyMappingBucket,
  evolveAccess,
  evolveCrosswalk,
  evolveDataSet,
  evolveInstances,
  evolveMappings,
  evolveReferenceType,
  fold,
  type InstanceEvent,
  type MappingBucketEvent,
  type MappingEvent,
  type ReferenceType,
  type ReferenceTypeEvent,
  streams,
} from '@rdm/contracts';
import { crosswalkDefinition } from '@rdm/contracts/testing/events';
import type { LoggedEvent, Pool } from '@rdm/platform';
import { describe, expect, it } from 'vitest';
import {
  eventually,
  MemoryLog,
  schemaOf,
  schemaOfBuild,
  useProjectorEnvironment,
  waitUntilProjected,
} from './environment.ts';
import { loggedHistory, type NewEvent, recorder } from './generated-history.ts';

const environment = useProjectorEnvironment();

async function projectEvents(events: readonly LoggedEvent[]): Promise<Pool> {
  const { url, pool } = await environment.database();
  const log = new MemoryLog();
  log.append(...events);
  environment.project(url, log);
  await waitUntilProjected(pool, events.length);
  return pool;
}

const eventsIn = (events: readonly LoggedEvent[], category: string): never[] =>
  events.filter(({ stream }) => stream.startsWith(`${category}-`)) as never[];

/** The times that only the projector adds to each field. */
const DATES = { createdAt: expect.any(String), updatedAt: expect.any(String) };

/** Converts texts to the form that PostgreSQL stores, with U+FFFD for each NUL and lone surrogate. */
const storedForm = <T>(value: T): T =>
  JSON.parse(
    JSON.stringify(value, (_, each) =>
      typeof each === 'string' ? Buffer.from(each).toString().replaceAll('\0', '\uFFFD') : each,
    ),
  );

async function rowsAsOf(
  pool: Pool,
  projection: string,
  table: string,
  columns: string,
  seq: number,
): Promise<unknown[]> {
  const schema = await schemaOf(pool, projection);
  const { rows } = await pool.query(
    `SELECT to_json(r) AS row FROM (SELECT ${columns} FROM ${schema}.${table}_as_of($1) ORDER BY 1) r`,
    [seq],
  );
  return rows.map(({ row }) => row);
}

describe('read models', () => {
  it('equal the fold of the events, now and as of earlier events', async () => {
    const events = loggedHistory(21, 400);
    const pool = await projectEvents(events);
    for (const seq of [events.length, 900, 500, 77, 10]) {
      const past = events.slice(0, seq);
      const mappings = fold<ReturnType<typeof emptyMappingBucket>, MappingBucketEvent>(
        emptyMappingBucket(),
        evolveMappings,
        eventsIn(past, 'mappings'),
      );
      expect(
        await rowsAsOf(
          pool,
          'crosswalks',
          'crosswalk_mapping_values',
          'id, revision, source_value, target_value, confidence, approval_status, served_target, served_confidence, deletion_requested, deleted, authors, submitted_by',
          seq,
        ),
      ).toEqual(
        storedForm(
          [...mappings.rows.values()]
            .sort((a, b) => a.id - b.id)
            .map((row) => ({
              id: row.id,
              revision: row.revision,
              source_value: row.sourceValue,
              target_value: row.value.targetValue,
              confidence: row.value.confidence,
              approval_status: row.approvalStatus,
              served_target: row.served?.targetValue ?? null,
              served_confidence: row.served?.confidence ?? null,
              deletion_requested: row.deletionRequested,
              deleted: row.deleted,
              authors: row.authors,
              submitted_by: row.submittedBy,
            })),
        ),
      );

      expect(
        await rowsAsOf(
          pool,
          'crosswalks',
          'dismissed_suggestions',
          'id, source_value, target_value, dismissed_by',
          seq,
        ),
      ).toEqual(
        storedForm(
          [...mappings.dismissedPairById]
            .sort(([a], [b]) => a - b)
            .map(([id, pair]) => ({
              id,
              source_value: pair.sourceValue,
              target_value: pair.targetValue,
              dismissed_by: pair.by,
            })),
        ),
      );

      const instances = fold<ReturnType<typeof emptyInstanceBucket>, InstanceEvent>(
        emptyInstanceBucket(),
        evolveInstances,
        eventsIn(past, 'instances'),
      );
      expect(await rowsAsOf(pool, 'instances', 'instances', 'id, revision, key, data, deleted', seq)).toEqual(
        storedForm(
          [...instances.rows.values()]
            .sort((a, b) => a.id - b.id)
            .map(({ id, revision, key, values, removed }) => ({ id, revision, key, data: values, deleted: removed })),
        ),
      );

      const type = fold<ReferenceType | undefined, ReferenceTypeEvent>(
        undefined,
        evolveReferenceType,
        eventsIn(past, 'referenceType'),
      );
      expect(
        await rowsAsOf(
          pool,
          'reference_types',
          'reference_data_types',
          'id, name, description, revision, schema_revision, fields, data_set_ids',
          seq,
        ),
      ).toEqual(
        storedForm(
          type
            ? [
                {
                  id: 1,
                  name: type.name,
                  description: type.description,
                  revision: type.revision,
                  schema_revision: type.schemaRevision,
                  fields: type.fields,
                  data_set_ids: type.dataSetIds,
                },
              ]
            : [],
        ).map((row) => ({ ...row, fields: row.fields.map((field) => ({ ...field, ...DATES })) })),
      );

      const dataSets = [1, 2].flatMap(
        (id) =>
          fold<DataSet | undefined, DataSetEvent>(
            undefined,
            evolveDataSet,
            past.filter(({ stream }) => stream === streams.dataSet(id)) as never[],
          ) ?? [],
      );
      expect(
        await rowsAsOf(pool, 'data_sets', 'reference_data_sets', 'id, name, is_public, revision, created_by', seq),
      ).toEqual(
        storedForm(
          dataSets.map(({ id, name, isPublic, revision, createdBy }) => ({
            id,
            name,
            is_public: isPublic,
            revision,
            created_by: createdBy,
          })),
        ),
      );

      const crosswalk = fold<Crosswalk | undefined, CrosswalkEvent>(
        undefined,
        evolveCrosswalk,
        eventsIn(past, 'crosswalk'),
      );
      expect(
        await rowsAsOf(
          pool,
          'crosswalks',
          'crosswalk_mappings',
          'id, name, revision, approval_status, value, served, authors',
          seq,
        ),
      ).toEqual(
        storedForm(
          crosswalk
            ? [
                {
                  id: 1,
                  name: crosswalk.value.name,
                  revision: crosswalk.revision,
                  approval_status: crosswalk.approvalStatus,
                  value: crosswalk.value,
                  served: crosswalk.served,
                  authors: crosswalk.authors,
                },
              ]
            : [],
        ),
      );

      const access = fold<ReturnType<typeof emptyAccess>, AccessEvent>(
        emptyAccess(),
        evolveAccess,
        eventsIn(past, 'access'),
      );
      expect(
        await rowsAsOf(
          pool,
          'collections',
          'reference_data_collections',
          'id, tags, owner_id, revision, data_set_ids, jsonb_array_length(grants) AS grants',
          seq,
        ),
      ).toEqual(
        storedForm(
          [...access.collections.values()].map(({ collectionId: id, tags, ownerId, revision, dataSetIds, grants }) => ({
            id,
            tags,
            owner_id: ownerId,
            revision,
            data_set_ids: [...dataSetIds],
            grants: grants.size,
          })),
        ),
      );
    }
  });

  it('have counts that equal the numbers of rows', async () => {
    const pool = await projectEvents(loggedHistory(22, 600));
    const { rows: counted } = await pool.query(
      `SELECT count(*)::int AS instances FROM ${schemaOfBuild('instances')}.instances WHERE NOT deleted`,
    );
    const { rows: storedCounts } = await pool.query(
      `SELECT instances FROM ${schemaOfBuild('instances')}.data_set_counts`,
    );
    expect(storedCounts).toEqual(counted);
    const { rows: mappings } = await pool.query(
      `SELECT crosswalk_id, count(*) FILTER (WHERE approval_status = 'DRAFT' AND NOT deleted) AS draft,
              count(*) FILTER (WHERE approval_status = 'PENDING' AND NOT deleted) AS pending,
              count(*) FILTER (WHERE approval_status = 'APPROVED' AND NOT deleted) AS approved,
              count(*) FILTER (WHERE approval_status = 'REJECTED' AND NOT deleted) AS rejected,
              count(served_target) AS served,
              count(DISTINCT source_value) FILTER (WHERE served_target IS NOT NULL) AS mapped_sources
         FROM ${schemaOfBuild('crosswalks')}.crosswalk_mapping_values GROUP BY crosswalk_id`,
    );
    const { rows: counts } = await pool.query(
      `SELECT crosswalk_id, draft, pending, approved, rejected, served, mapped_sources FROM ${schemaOfBuild('crosswalks')}.mapping_counts`,
    );
    expect(counts).toEqual(mappings);
    expect(counts[0].mapped_sources).toBeGreaterThan(0);
    const { rows: openItems } = await pool.query(
      `SELECT count(*)::int AS items FROM ${schemaOfBuild('crosswalks')}.approval_items WHERE kind = 'mapping' AND status = 'PENDING'`,
    );
    expect(openItems[0].items).toBe(counts[0].pending);
  });

  it('contain no overlaps and no gaps between the versions of a mapping', async () => {
    const pool = await projectEvents(loggedHistory(23, 300));
    const { rows } = await pool.query(
      `WITH versions AS (
         SELECT id, valid_from, valid_to FROM ${schemaOfBuild('crosswalks')}.crosswalk_mapping_values_history
         UNION ALL SELECT id, valid_from, NULL FROM ${schemaOfBuild('crosswalks')}.crosswalk_mapping_values),
       followed AS (SELECT valid_to, lead(valid_from) OVER (PARTITION BY id ORDER BY valid_from) AS next FROM versions)
       SELECT count(*)::int AS breaks FROM followed WHERE valid_to IS DISTINCT FROM next`,
    );
    expect(rows).toEqual([{ breaks: 0 }]);
  });
});

describe('the approvals', () => {
  const data = { id: 64, sourceValue: 'de', targetValue: 'DEU', confidence: 100, origin: 'MANUAL' as const };
  const mapping = (actorId: number, event: MappingEvent): NewEvent => ({
    ...event,
    stream: streams.mappings(3, 0),
    actorId,
    dataSetIds: [1, 2],
  });
  const definitionEvent = (actorId: number, event: CrosswalkEvent): NewEvent => ({
    ...event,
    stream: streams.crosswalk(3),
    actorId,
    dataSetIds: [1, 2],
  });
  const definition = crosswalkDefinition({ id: 3, sourceFieldId: 11, targetFieldId: 12 });

  async function readItems(newEvents: readonly NewEvent[]): Promise<unknown[]> {
    const pool = await projectEvents(newEvents.map(recorder()));
    const { rows } = await pool.query(
      `SELECT kind, id, submission, status, title, before, after, to_json(authors) AS authors, submitted_by, comment, decided_by,
              decision_comment, decision_id, undone_by, undone_seq::int, deletion_requested, source_data_set_id, target_data_set_id, revision
         FROM ${schemaOfBuild('crosswalks')}.approval_items ORDER BY valid_from, submission`,
    );
    return rows;
  }

  it('keep an undone decision in addition to the reopened submission', async () => {
    const pendingState = {
      approvalStatus: 'PENDING' as const,
      value: { targetValue: 'DEU', confidence: 100 },
      served: null,
      deletionRequested: false,
      deleted: false,
      submittedBy: 5,
      authors: [4, 5],
      approvedBy: null,
      approvedAt: null,
    };
    const undoes = '4d3a2f6e-7a1c-4d0e-9d55-1f2a3b4c5d6e';
    const newEvents = [
      mapping(4, { type: 'MappingsDrafted', data: { rows: [data] } }),
      mapping(5, { type: 'MappingsSubmitted', data: { ids: [64], comment: 'please' } }),
      mapping(6, { type: 'MappingsApproved', data: { ids: [64], comment: 'fine' } }),
      mapping(7, { type: 'MappingsUndone', data: { undoes, rows: [{ id: 64, to: pendingState }] } }),
      mapping(8, { type: 'MappingsRejected', data: { ids: [64], comment: 'no' } }),
      mapping(8, { type: 'MappingsUndone', data: { undoes, rows: [{ id: 64, to: pendingState }] } }),
    ];
    const undoneDecision = (status: string, by: number, comment: string, undoneBy: number) => ({
      submission: 1,
      status,
      decided_by: by,
      decision_comment: comment,
      decision_id: undoes,
      undone_by: undoneBy,
      comment: 'please',
    });
    const open = { submission: 1, status: 'PENDING', decided_by: null, undone_by: null, undone_seq: 0 };
    const items = await readItems(newEvents);
    expect(items).toHaveLength(3);
    expect(items).toEqual(
      expect.arrayContaining([
        expect.objectContaining(undoneDecision('APPROVED', 6, 'fine', 7)),
        expect.objectContaining(undoneDecision('REJECTED', 8, 'no', 8)),
        expect.objectContaining(open),
      ]),
    );
  });

  it('keep one row per submission, which is pending until it is decided or recalled', async () => {
    expect(
      await readItems([
        mapping(4, { type: 'MappingsDrafted', data: { rows: [data] } }),
        mapping(5, { type: 'MappingsSubmitted', data: { ids: [64], comment: 'please' } }),
        mapping(5, { type: 'MappingsRecalled', data: { ids: [64] } }),
        mapping(5, { type: 'MappingsSubmitted', data: { ids: [64], comment: 'again' } }),
        mapping(6, { type: 'MappingsApproved', data: { ids: [64], comment: 'fine' } }),
        mapping(4, { type: 'MappingsEdited', data: { rows: [{ id: 64, targetValue: 'GER', confidence: 90 }] } }),
        mapping(4, { type: 'MappingsSubmitted', data: { ids: [64] } }),
      ]),
    ).toEqual([
      expect.objectContaining({
        submission: 1,
        status: 'RECALLED',
        comment: 'please',
        decided_by: 5,
        authors: [4, 5],
        before: null,
      }),
      expect.objectContaining({
        submission: 2,
        status: 'APPROVED',
        comment: 'again',
        decided_by: 6,
        decision_comment: 'fine',
        authors: [4, 5],
        before: null,
      }),
      {
        kind: 'mapping',
        id: 64,
        submission: 3,
        status: 'PENDING',
        title: 'de → GER',
        before: { sourceValue: 'de', targetValue: 'DEU', confidence: 100 },
        after: { sourceValue: 'de', targetValue: 'GER', confidence: 90 },
        authors: [4],
        submitted_by: 4,
        comment: null,
        decided_by: null,
        decision_comment: null,
        decision_id: null,
        undone_by: null,
        undone_seq: 0,
        deletion_requested: false,
        source_data_set_id: 1,
        target_data_set_id: 2,
        revision: 7,
      },
    ]);
  });

  it('list a requested deletion with its rejection', async () => {
    expect(
      await readItems([
        mapping(4, { type: 'MappingsDrafted', data: { rows: [data] } }),
        mapping(4, { type: 'MappingsSubmitted', data: { ids: [64] } }),
        mapping(6, { type: 'MappingsApproved', data: { ids: [64] } }),
        mapping(4, { type: 'MappingsDeletionRequested', data: { ids: [64], comment: 'obsolete' } }),
        mapping(6, { type: 'MappingsRejected', data: { ids: [64], comment: 'still used' } }),
      ]),
    ).toEqual([
      expect.objectContaining({ submission: 1, status: 'APPROVED' }),
      expect.objectContaining({
        submission: 2,
        status: 'REJECTED',
        deletion_requested: true,
        after: null,
        comment: 'obsolete',
        decision_comment: 'still used',
      }),
    ]);
  });

  it('show a definition under review with its current name', async () => {
    expect(
      await readItems([
        definitionEvent(4, { type: 'CrosswalkDefined', data: definition }),
        definitionEvent(4, { type: 'CrosswalkSubmitted', data: {} }),
        definitionEvent(4, { type: 'CrosswalkDetailsChanged', data: { name: 'Nations' } }),
      ]),
    ).toEqual([
      expect.objectContaining({ kind: 'crosswalk', id: 3, status: 'PENDING', title: 'Nations', revision: 3 }),
    ]);
  });
});

describe('every batch of the projector', () => {
  it('notifies listeners when its rows, revisions and times are visible', async () => {
    const { url, pool } = await environment.database();
    const log = new MemoryLog();
    const record = recorder();
    environment.project(url, log);
    await eventually(async () => expect(await schemaOf(pool, 'data_sets')).toBe(schemaOfBuild('data_sets')));
    const listener = await pool.connect();
    const payloads: string[] = [];
    listener.on('notification', ({ payload }) => payloads.push(payload ?? ''));
    await listener.query('LISTEN projected');
    const now = new Date().toISOString();
    const recordNow = (newEvent: NewEvent): LoggedEvent => {
      const event = record(newEvent);
      return { ...event, metadata: { ...event.metadata, occurredAt: now } };
    };
    log.append(
      recordNow({
        type: 'DataSetCreated',
        data: { id: 5, name: 'Five', description: '', typeId: 1, keyFieldIds: [1] },
        stream: 'dataSet-5',
        actorId: 1,
        dataSetIds: [5],
      }),
      recordNow({
        type: 'ExclusiveImportStarted',
        data: { jobId: 9 },
        stream: 'dataSet-5',
        actorId: 1,
        dataSetIds: [5],
      }),
    );
    await waitUntilProjected(pool, 2);
    await eventually(() => expect(payloads.map((payload) => JSON.parse(payload)).at(-1)).toMatchObject({ to: 2 }));
    const { rows } = await pool.query(
      'SELECT seq, entity, entity_id, to_json(ids) AS ids, to_json(revisions) AS revisions, to_json(data_set_ids) AS data_set_ids FROM platform.live_changes ORDER BY seq',
    );
    expect(rows).toEqual([
      { seq: 1, entity: 'data-set', entity_id: 5, ids: [5], revisions: [1], data_set_ids: [5] },
      // A lock does not increase the revision. Because `revisions` is null, a list that shows revision 1 also reloads.
      { seq: 2, entity: 'data-set', entity_id: 5, ids: [5], revisions: null, data_set_ids: [5] },
    ]);
    const instants = await pool.query('SELECT max(seq)::int AS seq FROM platform.instants WHERE at <= $1', [now]);
    expect(instants.rows[0].seq).toBe(2);
    listener.release(true);
  });
});
