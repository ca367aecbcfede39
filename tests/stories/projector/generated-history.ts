/**
 * Generates random but reproducible events of the product, about types, data sets, rows, crosswalks, relationships,
 * reviews, access, imports, filters, backups and purges.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  BACKUPS_STREAM,
  type BackupEvent,
  BUCKETS,
  keyOfValues,
  mappingKey,
  type ProductEvent,
  type PurgeEvent,
  relationshipValueKey,
  rowId,
  SIGNING_KEYS_STREAM,
  streams,
} from '@rdm/contracts';
import { crosswalkDefined, eventMetadata } from '@rdm/contracts/testing/events';
import type { LoggedEvent } from '@rdm/platform';

/** An event that is not in a log yet. */
export type NewEvent = ProductEvent & { stream: string; actorId: number; dataSetIds: number[] };

/** The id of the command that every undo of mappings or relationship values in this history reverses. */
const UNDONE_COMMAND = '0b2f7c1e-6a53-5d0e-9a3d-2f4d1c7a9e10';

/** Returns a reproducible random number generator for a seed (mulberry32). */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const SPECIAL_TEXTS = [
  '',
  ' ',
  'tab\there',
  'line\nbreak',
  'back\\slash',
  '"quoted"',
  '\\N',
  'nul\0',
  'half \ud83d pair',
  '😀',
  'ß ẞ',
  '{a,b}',
  "'",
];

/** Ids by bucket. A step picks several ids of one bucket. */
class IdsByBucket {
  readonly #buckets = new Map<number, number[]>();

  add(...ids: readonly number[]): void {
    for (const id of ids) {
      const bucket = this.#buckets.get(id % BUCKETS);
      if (bucket) bucket.push(id);
      else this.#buckets.set(id % BUCKETS, [id]);
    }
  }

  /** Returns one to five distinct ids of one bucket; undefined if there are no ids. */
  pickIds(random: (below: number) => number): { bucket: number; ids: number[] } | undefined {
    const bucket = [...this.#buckets.keys()][random(this.#buckets.size || 1)];
    const all = bucket === undefined ? [] : (this.#buckets.get(bucket) ?? []);
    if (bucket === undefined) return undefined;
    const ids = Array.from({ length: 1 + random(5) }, () => all[random(all.length)] as number);
    return { bucket, ids: [...new Set(ids)] };
  }
}

/**
 * Generates the events of two data sets, of a crosswalk and a relationship between them, of backups, of a purge, and of
 * `steps` random user actions. `importRows` is the maximum number of rows of one import.
 */
export function* generateHistory(seed: number, steps: number, importRows = 120): Generator<NewEvent> {
  const random = randomFrom(seed);
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;
  const word = () => (random(8) === 0 ? pick(SPECIAL_TEXTS) : `word ${random(1_000)}`);
  const actor = () => 1 + random(4);
  const newEvent = (stream: string, dataSetIds: number[], event: ProductEvent): NewEvent => ({
    ...event,
    stream,
    actorId: actor(),
    dataSetIds,
  });

  const access = 'access-main';
  yield newEvent(access, [], {
    type: 'RoleDefined',
    data: { roleId: 1, name: 'Administrator', description: '', routes: ['/'], abilities: ['types.write'] },
  });
  for (const userId of [1, 2, 3, 4])
    yield newEvent(access, [], { type: 'UserRegistered', data: { userId, roleId: 1 } });
  yield newEvent(access, [], { type: 'GroupCreated', data: { groupId: 1, name: 'Readers', description: word() } });
  yield newEvent(access, [], {
    type: 'CollectionCreated',
    data: { collectionId: 1, name: 'Codes', description: word(), tags: [word(), 'b'], ownerId: 1 },
  });

  const fields = [11, 12, 13].map((fieldId, index) => ({
    fieldId,
    name: `field ${fieldId}`,
    dataType: (['string', 'string', 'number'] as const)[index] ?? 'string',
    isPrimaryKey: index === 0,
  }));
  yield newEvent(streams.referenceType(1), [], {
    type: 'ReferenceTypeDefined',
    data: { id: 1, name: 'Country', description: word(), fields },
  });
  for (const id of [1, 2]) {
    yield newEvent(streams.referenceType(1), [], {
      type: 'DataSetRegistered',
      data: { dataSetId: id, keyFieldIds: [11] },
    });
    yield newEvent(streams.dataSet(id), [id], {
      type: 'DataSetCreated',
      data: { id, name: `Set ${id}`, description: '', typeId: 1, keyFieldIds: [11] },
    });
  }
  yield newEvent(access, [], { type: 'CollectionItemsAdded', data: { collectionId: 1, dataSetIds: [1, 2] } });
  const definition = { name: 'One to two', sourceFieldId: 11, targetFieldId: 11 };
  yield newEvent(streams.crosswalk(1), [1, 2], crosswalkDefined(definition));
  yield newEvent(streams.relationship(1), [1, 2], {
    type: 'RelationshipDefined',
    data: {
      id: 1,
      name: 'Part of',
      relationshipType: '',
      cardinality: 'MANY_TO_MANY',
      sourceDataSetId: 1,
      targetDataSetId: 2,
      sourceFieldId: 11,
      targetFieldId: 11,
      allowSelfRelationship: false,
    },
  });

  const view = { filter: null, q: word(), sort: 'code', order: null, columns: null };
  yield newEvent(SIGNING_KEYS_STREAM, [], {
    type: 'SigningKeyRegistered',
    data: { keyId: '8d39ba50abe50f77', publicKey: word() },
  });
  const backupEvent = (event: BackupEvent) => newEvent(BACKUPS_STREAM, [], event);
  yield backupEvent({ type: 'BackupRequested', data: { backupId: 900, trigger: 'MANUAL' } });
  yield backupEvent({
    type: 'BackupCompleted',
    data: {
      ...{ backupId: 900, fileName: word(), bytes: 10, sha256: word(), encrypted: false, events: 3 },
      ...{ position: '900', seq: 3, chainHash: word() },
    },
  });
  yield backupEvent({
    type: 'BackupVerificationRequested',
    data: { backupId: 900, verificationId: 901, level: 'checksums' },
  });
  yield backupEvent({
    type: 'BackupVerified',
    data: { backupId: 900, verificationId: 901, level: 'checksums', result: 'INTACT', problem: null },
  });
  yield backupEvent({
    type: 'BackupUploaded',
    data: {
      ...{
        backupId: 902,
        fileName: 'rdm-20260101T000000Z-uploaded_0f.tar.gz',
        bytes: 10,
        sha256: '0f',
        encrypted: false,
      },
      ...{ events: 3, position: '300', seq: 3, chainHash: 'abc', madeAt: '2026-01-01T00:00:00.000Z' },
    },
  });
  yield backupEvent({
    type: 'BackupScheduleChanged',
    data: {
      ...{ enabled: true, every: 'DAY', weekday: 1, at: '02:00', zone: 'UTC' },
      keep: { daily: 7, weekly: 4, monthly: 12 },
    },
  });
  yield {
    ...{ stream: BACKUPS_STREAM, actorId: 1, dataSetIds: [] },
    type: 'BackupOverdue',
    data: { since: '2026-11-24T02:00:00.000Z' },
  };
  yield {
    ...{ stream: BACKUPS_STREAM, actorId: 1, dataSetIds: [] },
    type: 'BackupRestored',
    data: { backupId: 900, fileName: 'rdm-20261126T160000Z-900.tar.gz', seq: 1, chainHash: 'a'.repeat(64) },
  };
  yield newEvent(access, [], {
    type: 'LegalHoldPlaced',
    data: { holdId: 1, scope: { kind: 'dataSet', id: 1 }, matter: word(), reason: word() },
  });
  yield newEvent(access, [], { type: 'LegalHoldReleased', data: { holdId: 1, reason: word() } });
  const purgeEvent = (event: PurgeEvent) => newEvent(streams.purge(910), [], event);
  const counts = { items: 3, events: 0 };
  yield purgeEvent({
    type: 'PurgeRequested',
    data: {
      ...{ purgeId: 910, kind: 'telemetry', scope: { collectionId: null }, before: '2026-01-01T00:00:00.000Z' },
      ...{ reason: word(), planHash: word(), counts },
    },
  });
  yield newEvent(access, [], {
    type: 'PurgeStarted',
    data: { purgeId: 910, dataSetIds: [], crosswalkIds: [], relationshipIds: [], userIds: [1] },
  });
  yield purgeEvent({ type: 'PurgeConfirmed', data: { purgeId: 910 } });
  yield purgeEvent({ type: 'PurgeFailed', data: { purgeId: 910, step: 'MANIFEST', problem: word() } });
  yield purgeEvent({ type: 'PurgeResumed', data: { purgeId: 910 } });
  yield purgeEvent({
    type: 'PurgeManifestSealed',
    data: { purgeId: 910, parts: 0, streams: 0, events: 0, root: word(), keyId: word(), signature: word() },
  });
  yield purgeEvent({
    type: 'PurgeCompleted',
    data: {
      ...{ purgeId: 910, bytes: 10, leftovers: [word()], kind: 'telemetry', counts },
      ...{ reason: word(), confirmedBy: 2 },
    },
  });
  yield newEvent(access, [], { type: 'PurgeEnded', data: { purgeId: 910 } });
  yield newEvent(streams.savedFilter(1), [1], {
    type: 'SavedFilterCreated',
    data: { id: 1, name: 'Mine', entity: 'data-set:1', view, fieldIds: { code: 11 }, isShared: false, ownerId: 1 },
  });
  yield newEvent(streams.filterConfiguration(1), [1], {
    type: 'FilterConfigurationCreated',
    data: {
      id: 1,
      entityType: 'data-set:1',
      fieldName: 'code',
      fieldPath: 'data.11',
      fieldId: 11,
      dataType: 'string',
      allowedOperators: ['equals', 'in'],
      defaultOperator: 'in',
      validation: null,
      displayName: word(),
      description: '',
      isActive: true,
    },
  });

  /** Returns a random review state: an undo restores the review state of a row together with its value. */
  const reviewState = () => ({
    approvalStatus: pick(['DRAFT', 'PENDING', 'APPROVED', 'REJECTED'] as const),
    deletionRequested: random(4) === 0,
    deleted: random(8) === 0,
    submittedBy: pick([null, 2]),
    authors: [actor(), 9],
    approvedBy: pick([null, 3]),
    approvedAt: pick([null, '2026-01-01T00:00:00.000Z']),
  });

  let sequence = 0;
  let jobId = 0;
  let missingId = 0;
  const rows = new IdsByBucket();
  const mappings = new IdsByBucket();
  const dismissedPairs = new IdsByBucket();
  const relationshipValues = new IdsByBucket();

  for (let step = 0; step < steps; step += 1) {
    switch (random(16)) {
      case 0: {
        jobId += 1;
        const key = `key ${jobId}`;
        const ids = Array.from({ length: 1 + random(importRows) }, () => {
          sequence += 1;
          return rowId(sequence, JSON.stringify([key]));
        });
        rows.add(...ids);
        yield newEvent(streams.importJob(jobId), [1], {
          type: 'ImportRequested',
          data: {
            jobId,
            jobType: 'DATASET_INSTANCES_IMPORT',
            dataSetId: 1,
            description: word(),
            fileId: '4d3a2f6e-7a1c-4d0e-9d55-1f2a3b4c5d6e',
            fileHash: 'x',
            mode: 'insert',
            columns: { a: 11 },
            delimiter: ',',
            encoding: 'utf-8',
            hasHeader: true,
            allOrNothing: false,
          },
        });
        yield newEvent(streams.importJob(jobId), [1], { type: 'ImportStarted', data: { schemaRevision: 1 } });
        yield newEvent(streams.instances(1, (ids[0] as number) % BUCKETS), [1], {
          type: 'InstancesImported',
          data: {
            jobId,
            schemaRevision: 1,
            keyFieldIds: [11],
            fieldIds: [11, 12, 13],
            rows: ids.map((id, index) => [id, `${key} ${index}`, word(), random(100)]),
          },
        });
        const counts = { total: ids.length, created: ids.length, changed: 0, unchanged: 0, failed: 0, skipped: 0 };
        yield newEvent(streams.importJob(jobId), [1], { type: 'ImportCompleted', data: { counts } });
        if (random(3) > 0) break;
        const undoneJobId = jobId;
        jobId += 1;
        const undone = { ...counts, created: 0, changed: ids.length };
        yield newEvent(streams.bulkDecision(jobId), [1], {
          type: 'BulkDecisionRequested',
          data: {
            ...{
              jobId,
              undoneJobId,
              commandId: '4d3a2f6e-7a1c-4d0e-9d55-1f2a3b4c5d6f',
              undoes: '4d3a2f6e-7a1c-4d0e-9d55-1f2a3b4c5d6f',
            },
            ...{ description: word(), dataSetIds: [1], total: ids.length },
            ...{ jobType: 'DATASET_INSTANCES_IMPORT', fileId: null },
          },
        });
        yield newEvent(streams.instances(1, (ids[0] as number) % BUCKETS), [1], {
          type: 'InstancesRemoved',
          data: { ids, jobId },
        });
        yield newEvent(streams.importJob(undoneJobId), [1], {
          type: 'ImportUndone',
          data: { jobId, counts: undone },
        });
        yield newEvent(streams.bulkDecision(jobId), [1], { type: 'BulkDecisionCompleted', data: { counts: undone } });
        break;
      }
      case 1:
      case 2: {
        sequence += 1;
        const values = { 11: `k${sequence}`, 12: word(), 13: random(50) };
        const id = rowId(sequence, keyOfValues(values, [11]));
        rows.add(id);
        yield newEvent(streams.instances(1, id % BUCKETS), [1], {
          type: 'InstancesAdded',
          data: { schemaRevision: 1, keyFieldIds: [11], rows: [{ id, values }] },
        });
        break;
      }
      case 3: {
        const picked = rows.pickIds(random);
        if (picked)
          yield newEvent(streams.instances(1, picked.bucket), [1], {
            type: 'InstancesChanged',
            data: { schemaRevision: 1, rows: picked.ids.map((id) => ({ id, values: { 12: word() } })) },
          });
        break;
      }
      case 4: {
        const picked = rows.pickIds(random);
        if (picked)
          yield newEvent(streams.instances(1, picked.bucket), [1], {
            type: pick(['InstancesRemoved', 'InstancesRestored']),
            data: { ids: picked.ids },
          });
        break;
      }
      case 5:
      case 6: {
        const sourceValue = `source ${random(30)}`;
        sequence += 1;
        const id = rowId(sequence, mappingKey(sourceValue));
        mappings.add(id);
        yield newEvent(streams.mappings(1, id % BUCKETS), [1, 2], {
          type: 'MappingsDrafted',
          data: { rows: [{ id, sourceValue, targetValue: word() || 'x', confidence: 100, origin: 'MANUAL' }] },
        });
        break;
      }
      case 7:
      case 8:
      case 9: {
        const picked = mappings.pickIds(random);
        if (!picked) break;
        const type = pick([
          'MappingsSubmitted',
          'MappingsSubmitted',
          'MappingsApproved',
          'MappingsApproved',
          'MappingsRejected',
          'MappingsRecalled',
          'MappingsRevoked',
          'MappingsDiscarded',
          'MappingsDeletionRequested',
          'MappingsDeleted',
          'MappingsRestored',
        ] as const);
        yield newEvent(streams.mappings(1, picked.bucket), [1, 2], {
          type,
          data: { ids: picked.ids, comment: word() },
        });
        break;
      }
      case 10: {
        const picked = mappings.pickIds(random);
        if (picked && random(3) === 0) {
          const value = { targetValue: word() || 'z', confidence: random(100) };
          const rows = picked.ids.map((id) => ({
            id,
            to: { ...reviewState(), value, served: random(2) === 0 ? value : null },
          }));
          yield newEvent(streams.mappings(1, picked.bucket), [1, 2], {
            type: 'MappingsUndone',
            data: { undoes: UNDONE_COMMAND, rows, comment: word() },
          });
        } else if (picked)
          yield newEvent(streams.mappings(1, picked.bucket), [1, 2], {
            type: 'MappingsEdited',
            data: { rows: picked.ids.map((id) => ({ id, targetValue: word() || 'y', confidence: random(100) })) },
          });
        break;
      }
      case 15: {
        const picked = dismissedPairs.pickIds(random);
        if (picked && random(2) === 0) {
          yield newEvent(streams.mappings(1, picked.bucket), [1, 2], {
            type: 'SuggestionsRestored',
            data: { ids: picked.ids },
          });
          break;
        }
        const sourceValue = `source ${random(30)}`;
        sequence += 1;
        const id = rowId(sequence, mappingKey(sourceValue));
        dismissedPairs.add(id);
        yield newEvent(streams.mappings(1, id % BUCKETS), [1, 2], {
          type: 'SuggestionsDismissed',
          data: { rows: [{ id, sourceValue, targetValue: `target ${sequence}` }] },
        });
        break;
      }
      case 11:
      case 12: {
        const pair = { sourceInstanceId: 1 + random(30), targetInstanceId: 1 + random(30) };
        sequence += 1;
        const id = rowId(sequence, relationshipValueKey('MANY_TO_MANY', pair));
        relationshipValues.add(id);
        yield newEvent(streams.relationshipValues(1, id % BUCKETS), [1, 2], {
          type: 'RelationshipValuesDrafted',
          data: { rows: [{ id, ...pair, attributes: { 1: word() } }] },
        });
        break;
      }
      case 13: {
        const picked = relationshipValues.pickIds(random);
        if (!picked) break;
        const type = pick([
          'RelationshipValuesSubmitted',
          'RelationshipValuesSubmitted',
          'RelationshipValuesApproved',
          'RelationshipValuesApproved',
          'RelationshipValuesRejected',
          'RelationshipValuesRecalled',
          'RelationshipValuesRevoked',
          'RelationshipValuesDiscarded',
          'RelationshipValuesDeletionRequested',
          'RelationshipValuesDeleted',
          'RelationshipValuesRestored',
        ] as const);
        const stream = streams.relationshipValues(1, picked.bucket);
        yield newEvent(stream, [1, 2], { type, data: { ids: picked.ids, comment: word() } });
        const rows = picked.ids.map((id) => ({
          id,
          sourceInstanceId: 1,
          targetInstanceId: 1 + random(30),
          attributes: { 1: word() },
        }));
        yield newEvent(stream, [1, 2], { type: 'RelationshipValuesEdited', data: { rows } });
        yield newEvent(stream, [1, 2], {
          type: 'RelationshipValuesUndone',
          data: {
            undoes: UNDONE_COMMAND,
            rows: rows.map(({ id, ...value }) => ({
              id,
              to: { ...reviewState(), value, served: random(2) === 0 ? value : null },
            })),
          },
        });
        yield newEvent(stream, [1, 2], { type: 'RelationshipValuesSubmitted', data: { ids: picked.ids } });
        break;
      }
      default: {
        missingId += 1;
        yield newEvent(streams.missingMappings(1), [1, 2], {
          type: 'MissingMappingRequested',
          data: { requests: [{ id: missingId, sourceValue: `asked ${missingId}` }] },
        });
        yield newEvent(
          streams.missingMappings(1),
          [1, 2],
          pick<ProductEvent>([
            { type: 'MissingMappingIgnored', data: { ids: [1 + random(missingId)], comment: word() } },
            { type: 'MissingMappingReopened', data: { ids: [1 + random(missingId)] } },
          ]),
        );
        yield newEvent(
          streams.referenceType(1),
          [],
          pick<ProductEvent>([
            { type: 'ReferenceTypeDetailsChanged', data: { description: word() } },
            { type: 'FieldRenamed', data: { fieldId: 12, name: word() } },
          ]),
        );
        yield newEvent(
          streams.dataSet(2),
          [2],
          pick<ProductEvent>([
            { type: 'DataSetPublished', data: {} },
            { type: 'DataSetDetailsChanged', data: { name: word() } },
          ]),
        );
        yield newEvent(
          streams.savedFilter(1),
          [1],
          pick<ProductEvent>([
            { type: 'SavedFilterChanged', data: { isShared: random(2) === 0 } },
            { type: 'SavedFilterChanged', data: { name: word() } },
          ]),
        );
        yield newEvent(streams.filterConfiguration(1), [1], {
          type: 'FilterConfigurationChanged',
          data: { displayName: word(), isActive: random(2) === 0 },
        });
        yield newEvent(
          streams.crosswalk(1),
          [1, 2],
          pick<ProductEvent>([
            { type: 'CrosswalkSubmitted', data: {} },
            { type: 'CrosswalkApproved', data: {} },
            { type: 'CrosswalkRejected', data: { comment: 'no' } },
            { type: 'CrosswalkDeletionRequested', data: {} },
            { type: 'CrosswalkDeleted', data: {} },
            { type: 'CrosswalkRestored', data: { comment: word() } },
            { type: 'CrosswalkDetailsChanged', data: { name: word() } },
          ]),
        );
        yield newEvent(
          streams.relationship(1),
          [1, 2],
          pick<ProductEvent>([
            { type: 'RelationshipDetailsChanged', data: { name: word() } },
            { type: 'RelationshipValuesStarted', data: {} },
            {
              type: 'RelationshipAttributeDefined',
              data: {
                attributeId: missingId,
                name: word(),
                dataType: 'string',
                isRequired: false,
                description: word(),
              },
            },
            { type: 'RelationshipDeletionRequested', data: { comment: word() } },
            { type: 'RelationshipDeletionRejected', data: { comment: word() } },
            { type: 'RelationshipDeletionRecalled', data: {} },
            { type: 'RelationshipDeletionApproved', data: {} },
            { type: 'RelationshipDeleted', data: {} },
            { type: 'RelationshipRestored', data: { comment: word() } },
          ]),
        );
        yield newEvent(
          access,
          [],
          pick<ProductEvent>([
            { type: 'GroupMembersChanged', data: { groupId: 1, added: [actor()], removed: [actor()] } },
            {
              type: 'CollectionPermissionsChanged',
              data: {
                collectionId: 1,
                granted: [{ entityType: 'group', entityId: 1, permissionLevel: pick(['READ', 'ADMIN']) }],
                revoked: [],
              },
            },
            { type: 'UserDeactivated', data: { userId: actor() } },
            { type: 'UserReactivated', data: { userId: actor() } },
          ]),
        );
      }
    }
  }
}

/** Returns a function that assigns positions, revisions and metadata to new events. */
export function recorder(seed = 1): (event: NewEvent) => LoggedEvent {
  const revisions = new Map<string, number>();
  let position = 0n;
  return ({ stream, type, data, actorId, dataSetIds }) => {
    const revision = (revisions.get(stream) ?? -1) + 1;
    revisions.set(stream, revision);
    position += 100n;
    const number = Number(position / 100n);
    const metadata = eventMetadata({
      $correlationId: `request ${number}`,
      $causationId: `command ${number}`,
      actorId,
      requestId: `request ${number}`,
      occurredAt: new Date(Date.UTC(2026, 0, 1) + number * 1_000).toISOString(),
      dataSetIds,
    });
    return { id: idOf(seed, number), stream, revision, position, prepare: position, type, data, metadata };
  };
}

function idOf(seed: number, number: number): string {
  const hex = createHash('sha256').update(`${seed} ${number}`).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export const loggedHistory = (seed: number, steps: number, importRows?: number): LoggedEvent[] =>
  [...generateHistory(seed, steps, importRows)].map(recorder(seed));

/** For each projection listed here, an event that only this projection cannot apply. */
export const INVALID_EVENTS: Readonly<Record<string, NewEvent>> = Object.fromEntries(
  [
    ['instances', 'instances-1.0', 'InstancesImported', { rows: 5 }],
    ['crosswalks', 'mappings-1.0', 'MappingsDrafted', { rows: 5 }],
    ['missing_mappings', 'missingMappings-1', 'MissingMappingRequested', { requests: 5 }],
    ['relationships', 'relationship-77', 'RelationshipDefined', {}],
    ['jobs', 'importJob-77', 'ImportRequested', {}],
  ].map(([projection, stream, type, data]) => [
    projection,
    { stream, type, data, actorId: 1, dataSetIds: [] } as never,
  ]),
);

export const newName = (): string => `t${randomUUID().replaceAll('-', '')}`;
