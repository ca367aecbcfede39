/**
 * The dry run of a purge: finds entities that were deleted, and jobs that ended, before an instant. The read models
 * contain the candidates; the log decides whether an entity is deleted.
 */
import { createHash } from 'node:crypto';
import {
  type AccessState,
  BUCKETS,
  type Crosswalk,
  comparedField,
  type DataSet,
  folds,
  holdOn,
  type LegalHold,
  listSubject,
  type PurgedStream,
  type PurgeItem,
  type PurgeKind,
  type PurgePlan,
  type PurgeScope,
  type RecordedEvent,
  type Relationship,
  streams as streamNames,
} from '@rdm/contracts';
import { type EventStore, type Pool, Purged } from '@rdm/platform';
import { canonicalJson } from '@rdm/platform/event-store/audit-chain';
import { type Serving, servingTables } from './serving.ts';
import { CREATION_EVENTS, FILTER_KINDS, readFilter, type StoredFilter, streamOfFilter } from './stored-filters.ts';
import { countRows } from './tables.ts';

export interface PlanSources {
  pool: Pool;
  store: Pick<EventStore, 'read' | 'tail'>;
  access: AccessState;
}

export interface PurgeCriteria {
  kind: PurgeKind;
  scope: PurgeScope;
  /** Entities were deleted, jobs ended, or telemetry was recorded before this instant. */
  before: Date;
}

/** An entity or job to purge, and the dependants that are purged too. */
interface PurgedEntity {
  item: PurgeItem;
  streams: string[];
  dependants: PurgedEntity[];
  /** The data sets that the entity concerns. A legal hold on one of these data sets excludes the entity. */
  dataSetIds: number[];
}

/** Returns the hash that identifies a plan. The hash covers everything that the purge deletes from the log. */
export const planHash = ({ kind, scope, before }: PurgeCriteria, { items, dependants, streams }: PurgePlan): string =>
  createHash('sha256')
    .update(canonicalJson({ kind, scope, before: before.toISOString(), items, dependants, streams }))
    .digest('hex');

export async function planPurge(sources: PlanSources, purge: PurgeCriteria, signal: AbortSignal): Promise<PurgePlan> {
  const { pool, access } = sources;
  const serving = await servingTables(pool);
  const entities = await new Finder(sources, serving, purge).find();
  const purgeable: PurgedEntity[] = [];
  const held: PurgePlan['held'] = [];
  for (const entity of entities) {
    signal.throwIfAborted();
    const hold = await holdOnEntity(sources, serving, entity);
    if (hold) held.push({ ...entity.item, holdId: hold.holdId, matter: hold.matter });
    else purgeable.push(entity);
  }
  const dependants = uniqueItems(purgeable.flatMap((entity) => entity.dependants));
  const names = [...new Set(purgeable.flatMap(allStreams))].sort();
  const streams: PurgedStream[] = [];
  let events = 0;
  let bytes = 0;
  for (const stream of names) {
    signal.throwIfAborted();
    const measured = await measure(sources.store, stream);
    if (measured === undefined) continue;
    streams.push({ stream, revision: measured.revision });
    events += measured.revision + 1;
    bytes += measured.bytes;
  }
  const items = purgeable.map(({ item }) => item);
  const userIds = purge.kind === 'telemetry' ? null : await actorsOf(pool, serving, names);
  const heldUserIds = [...access.holds.values()].flatMap(({ scope }) => (scope.kind === 'user' ? [scope.id] : []));
  const planned = { items, dependants, streams, heldUserIds };
  const isEverythingHeld = [...access.holds.values()].some(({ scope }) => scope.kind === 'all');
  const isTelemetry = purge.kind === 'telemetry';
  return {
    ...planned,
    held,
    tables:
      items.length === 0 && (!isTelemetry || isEverythingHeld)
        ? []
        : await countRows(pool, { kind: purge.kind, before: purge.before, plan: planned }),
    events,
    bytes,
    dataSetIds: [...new Set(purgeable.flatMap(concernedDataSets))],
    // Users under a hold are excluded, so that a hold on a user does not prevent the purge of telemetry.
    userIds: isTelemetry ? [...access.users.keys()].filter((id) => !heldUserIds.includes(id)) : userIds,
    backups: await backupsWith(pool, serving, isTelemetry ? undefined : names),
  };
}

const allStreams = ({ streams, dependants }: PurgedEntity): string[] => [...streams, ...dependants.flatMap(allStreams)];

function uniqueItems(entities: readonly PurgedEntity[]): PurgeItem[] {
  const items = new Map(entities.map(({ item }) => [`${item.kind} ${item.id}`, item]));
  return [...items.values()];
}

const concernedDataSets = (entity: PurgedEntity): number[] => [
  ...new Set([...entity.dataSetIds, ...entity.dependants.flatMap(concernedDataSets)]),
];

/** Returns a legal hold on the entity, a dependant, or a user who caused one of the events; undefined for none. */
async function holdOnEntity(
  { pool, access }: PlanSources,
  serving: Serving,
  entity: PurgedEntity,
): Promise<LegalHold | undefined> {
  if (access.holds.size === 0) return undefined;
  const userIds = await actorsOf(pool, serving, allStreams(entity));
  return holdOn(access, { dataSetIds: concernedDataSets(entity), userIds });
}

async function actorsOf(pool: Pool, serving: Serving, streams: readonly string[]): Promise<number[]> {
  if (streams.length === 0) return [];
  const { rows } = await pool.query<{ id: number }>(
    `SELECT DISTINCT actor_id AS id FROM ${serving('audit_log', 'audit_logs')}
      WHERE stream = ANY($1) AND actor_id IS NOT NULL ORDER BY 1`,
    [streams],
  );
  return rows.map(({ id }) => id);
}

/** Returns the backups that contain events of the streams; all backups if `streams` is undefined. */
async function backupsWith(pool: Pool, serving: Serving, streams: readonly string[] | undefined) {
  if (streams?.length === 0) return [];
  const { rows } = await pool.query<{ id: number; fileName: string }>(
    `SELECT b.id, b.file ->> 'fileName' AS "fileName" FROM ${serving('backups', 'backups')} b
      WHERE b.file IS NOT NULL AND ($1::text[] IS NULL OR (b.file ->> 'seq')::bigint >= (
        SELECT min(a.seq) FROM ${serving('audit_log', 'audit_logs')} a WHERE a.stream = ANY($1)))
      ORDER BY b.id`,
    [streams ?? null],
  );
  return rows;
}

/** Returns the last revision and the bytes of the data of a stream; undefined for an empty or purged stream. */
async function measure(
  store: PlanSources['store'],
  stream: string,
): Promise<{ revision: number; bytes: number } | undefined> {
  let measured: { revision: number; bytes: number } | undefined;
  for await (const { revision, data, stored } of readUnlessPurged(store, stream)) {
    measured = { revision, bytes: (measured?.bytes ?? 0) + Buffer.byteLength(JSON.stringify(stored ?? data)) };
  }
  return measured;
}

async function* readUnlessPurged(store: PlanSources['store'], stream: string): AsyncGenerator<RecordedEvent> {
  try {
    yield* store.read(stream);
  } catch (error) {
    if (!(error instanceof Purged)) throw error;
  }
}

const bucketsOf = (name: (id: number, bucket: number) => string, id: number): string[] =>
  Array.from({ length: BUCKETS }, (_, bucket) => name(id, bucket));

class Finder {
  readonly #sources: PlanSources;
  readonly #serving: Serving;
  readonly #purge: PurgeCriteria;
  #filters: StoredFilter[] | undefined;

  constructor(sources: PlanSources, serving: Serving, purge: PurgeCriteria) {
    this.#sources = sources;
    this.#serving = serving;
    this.#purge = purge;
  }

  async find(): Promise<PurgedEntity[]> {
    switch (this.#purge.kind) {
      case 'dataSets':
        return this.#dataSets();
      case 'definitions':
        return [...(await this.#definitions('crosswalk')), ...(await this.#definitions('relationship'))];
      case 'jobs':
        return this.#jobs();
      case 'telemetry':
        return [];
    }
  }

  async #query<Row extends object>(text: string, values: unknown[]): Promise<Row[]> {
    return (await this.#sources.pool.query<Row>(text, values)).rows;
  }

  /** Returns the ids of entities with an event of one of these types before the instant. */
  async #candidates(entityType: string, types: readonly string[]): Promise<number[]> {
    const rows = await this.#query<{ id: number }>(
      `SELECT DISTINCT entity_id AS id FROM ${this.#serving('audit_log', 'audit_logs')}
        WHERE entity_type = $1 AND type = ANY($2) AND at < $3 AND entity_id IS NOT NULL ORDER BY 1`,
      [entityType, types, this.#purge.before],
    );
    return rows.map(({ id }) => id);
  }

  #isInScope(dataSetIds: readonly number[]): boolean {
    const { collectionId } = this.#purge.scope;
    if (collectionId === null) return true;
    const contained = this.#sources.access.collections.get(collectionId)?.dataSetIds;
    return dataSetIds.some((id) => contained?.has(id));
  }

  /** Folds a stream; undefined if empty or purged. `deletedAt` is the time at which the entity was last deleted. */
  async #fold<State extends { deleted: boolean }>(
    fold: { initial: () => State | undefined; evolve: (state: State | undefined, event: never) => State | undefined },
    stream: string,
    onEvent: (event: RecordedEvent) => void = () => undefined,
  ): Promise<{ state: State; deletedAt: string } | undefined> {
    let state = fold.initial();
    let deletedAt = '';
    for await (const event of readUnlessPurged(this.#sources.store, stream)) {
      const wasDeleted = state?.deleted === true;
      state = fold.evolve(state, event as never);
      if (state?.deleted && !wasDeleted) deletedAt = event.metadata.occurredAt;
      onEvent(event);
    }
    return state && { state, deletedAt };
  }

  async #dataSets(): Promise<PurgedEntity[]> {
    const entities: PurgedEntity[] = [];
    for (const id of await this.#candidates('dataSet', ['DataSetDeleted'])) {
      if (!this.#isInScope([id])) continue;
      const definitions = { crosswalk: new Set<number>(), relationship: new Set<number>() };
      const folded = await this.#fold<DataSet>(folds.dataSet as never, streamNames.dataSet(id), ({ type, data }) => {
        const { id: registered } = data as { id?: number };
        if (registered === undefined) return;
        if (type === 'CrosswalkRegistered') definitions.crosswalk.add(registered);
        if (type === 'RelationshipRegistered') definitions.relationship.add(registered);
      });
      if (!folded?.state.deleted || Date.parse(folded.deletedAt) >= this.#purge.before.getTime()) continue;
      const dependants: PurgedEntity[] = [];
      for (const kind of ['crosswalk', 'relationship'] as const) {
        for (const definitionId of definitions[kind]) {
          const definition = await this.#definition(kind, definitionId);
          if (definition) dependants.push(definition);
        }
      }
      const streams = [streamNames.dataSet(id), ...bucketsOf(streamNames.instances, id)];
      const lists = [`data-set:${id}`, `integrity:${id}`, `comparison:${id}`];
      dependants.push(...(await this.#filtersOf(lists, comparedField(id))));
      dependants.push(...(await this.#jobsOf([id], [...streams, ...dependants.flatMap(allStreams)])));
      const item = { kind: 'dataSet', id, name: folded.state.name, endedAt: folded.deletedAt } as const;
      entities.push({ item, streams, dependants, dataSetIds: [id] });
    }
    return entities;
  }

  async #definitions(kind: 'crosswalk' | 'relationship'): Promise<PurgedEntity[]> {
    const types =
      kind === 'crosswalk'
        ? ['CrosswalkDeleted', 'CrosswalkApproved', 'CrosswalkUndone']
        : ['RelationshipDeleted', 'RelationshipDeletionApproved', 'RelationshipDeletionUndone'];
    const entities: PurgedEntity[] = [];
    for (const id of await this.#candidates(kind, types)) {
      const entity = await this.#definition(kind, id);
      if (!entity || !this.#isInScope(entity.dataSetIds)) continue;
      if (Date.parse(entity.item.endedAt ?? '') >= this.#purge.before.getTime()) continue;
      entity.dependants.push(...(await this.#jobsOf([], entity.streams)));
      entities.push(entity);
    }
    return entities;
  }

  /** Returns a definition if it is deleted; undefined otherwise, and for an empty or purged stream. */
  async #definition(kind: 'crosswalk' | 'relationship', id: number): Promise<PurgedEntity | undefined> {
    const stream = kind === 'crosswalk' ? streamNames.crosswalk(id) : streamNames.relationship(id);
    const folded =
      kind === 'crosswalk'
        ? await this.#fold<Crosswalk>(folds.crosswalk as never, stream)
        : await this.#fold<Relationship>(folds.relationship as never, stream);
    if (!folded?.state.deleted) return undefined;
    const rows =
      kind === 'crosswalk'
        ? [...bucketsOf(streamNames.mappings, id), streamNames.missingMappings(id)]
        : bucketsOf(streamNames.relationshipValues, id);
    const value = folded.state.value as { name?: string } & Record<string, unknown>;
    const ends = ['sourceSystemId', 'targetSystemId', 'sourceDataSetId', 'targetDataSetId'];
    return {
      item: { kind, id, name: value.name ?? '', endedAt: folded.deletedAt },
      streams: [stream, ...rows],
      dependants: await this.#filtersOf([`${kind}:${id}`]),
      dataSetIds: ends.flatMap((name) => (typeof value[name] === 'number' ? [value[name]] : [])),
    };
  }

  async #jobs(): Promise<PurgedEntity[]> {
    const rows = await this.#query<JobRow>(
      `${this.#jobColumns()} WHERE j.ended_at < $1 AND j.status IN ('DONE', 'FAILED', 'CANCELLED')
         AND j.data_set_ids IS NOT NULL ORDER BY j.job_id`,
      [this.#purge.before],
    );
    return rows.filter(({ dataSetIds }) => this.#isInScope(dataSetIds)).map(toJob);
  }

  #jobColumns =
    () => `SELECT j.job_id AS id, j.description AS name, j.ended_at AS "endedAt", j.data_set_ids AS "dataSetIds"
    FROM ${this.#serving('jobs', 'import_jobs')} j`;

  /** Returns the jobs on the data sets, and the jobs whose command caused an event in the streams. */
  async #jobsOf(dataSetIds: readonly number[], streams: readonly string[]): Promise<PurgedEntity[]> {
    const audit = this.#serving('audit_log', 'audit_logs');
    const rows = await this.#query<JobRow>(
      `${this.#jobColumns()} WHERE j.data_set_ids && $1::bigint[] OR j.job_id IN (
         SELECT b.entity_id FROM ${audit} b
          WHERE b.entity_type IN ('bulkDecision', 'importJob') AND b.causation_id IN (
            SELECT a.causation_id FROM ${audit} a WHERE a.stream = ANY($2)))
       ORDER BY j.job_id`,
      [dataSetIds, streams],
    );
    return rows.map(toJob);
  }

  /**
   * Returns the saved filters and filter configurations that belong to one of the lists or use the comparison field
   * `compared`. Deleted filters and configurations are included.
   */
  async #filtersOf(lists: readonly string[], compared?: string): Promise<PurgedEntity[]> {
    this.#filters ??= await this.#allFilters();
    return this.#filters
      .filter(({ list, fields }) => lists.includes(list) || (compared !== undefined && fields.has(compared)))
      .map(({ kind, id, name }) => ({
        item: { kind, id, name, endedAt: null },
        streams: [streamOfFilter(kind, id)],
        dependants: [],
        dataSetIds: [],
      }));
  }

  async #allFilters(): Promise<StoredFilter[]> {
    const filters: StoredFilter[] = [];
    for (const kind of FILTER_KINDS) {
      const rows = await this.#query<{ id: number }>(
        `SELECT DISTINCT entity_id AS id FROM ${this.#serving('audit_log', 'audit_logs')}
          WHERE entity_type = $1 AND type = $2 AND entity_id IS NOT NULL`,
        [kind, CREATION_EVENTS[kind]],
      );
      for (const { id } of rows) {
        const filter = await readFilter(kind, id, (stream) => readUnlessPurged(this.#sources.store, stream));
        if (listSubject(filter.list)?.subjectId != null) filters.push(filter);
      }
    }
    return filters;
  }
}

interface JobRow {
  id: number;
  name: string;
  endedAt: Date | null;
  dataSetIds: number[];
}

const toJob = ({ id, name, endedAt, dataSetIds }: JobRow): PurgedEntity => ({
  item: { kind: 'job', id, name, endedAt: endedAt?.toISOString() ?? null },
  streams: [streamNames.importJob(id), streamNames.bulkDecision(id)],
  dependants: [],
  dataSetIds,
});
