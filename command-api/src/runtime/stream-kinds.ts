/** The stream categories that deciders use, each with the estimated size of its state in the cache. */
import {
  type DomainEvent,
  type Fold,
  folds,
  type InstanceBucket,
  type InstanceEvent,
  type InstanceRow,
} from '@rdm/contracts';
import type { StreamKind } from './fold.ts';
import type { RowCodec } from './row-cache.ts';

const instanceRows: RowCodec<InstanceBucket, InstanceEvent> = {
  rows: ({ rows }) => rows,
  head: ({ keyFieldIds }) => keyFieldIds,
  stateOf: (keyFieldIds: number[], rows: readonly InstanceRow[]) => ({
    rows: new Map(rows.map((row) => [row.id, row])),
    ids: new Map(rows.filter(({ removed }) => !removed).map(({ key, id }) => [key, id])),
    keyFieldIds,
  }),
  idsOf({ type, data }) {
    switch (type) {
      case 'InstancesImported':
        return data.rows.map(([id]) => id);
      case 'InstancesAdded':
      case 'InstancesChanged':
        return data.rows.map(({ id }) => id);
      case 'InstancesRemoved':
      case 'InstancesRestored':
        return data.ids;
    }
  },
};

const kind = <State, E extends DomainEvent>(
  fold: Fold<State, E>,
  estimateBytes: StreamKind<State, E>['estimateBytes'],
): StreamKind<State, E> => ({ ...fold, estimateBytes });

const SMALL_STATE_BYTES = 4_096;
/** The estimate for states without rows. */
const smallState = () => SMALL_STATE_BYTES;

export const kinds = {
  access: kind(folds.access, ({ users, collections }) => 4_096 + users.size * 100 + collections.size * 2_000),
  backups: kind(folds.backups, ({ backups, deletedFiles }) => 4_096 + backups.size * 1_000 + deletedFiles.size * 100),
  bulkDecision: kind(folds.bulkDecision, smallState),
  crosswalk: kind(folds.crosswalk, smallState),
  dataSet: kind(folds.dataSet, smallState),
  filterConfiguration: kind(folds.filterConfiguration, smallState),
  importJob: kind(folds.importJob, smallState),
  instances: {
    // 700 bytes are for a row with its two map entries and about eight cells.
    ...kind(folds.instances, ({ rows }) => 512 + rows.size * 700),
    rowsOf: instanceRows,
  },
  mappings: kind(
    folds.mappings,
    ({ rows, dismissedPairById: dismissed }) => 512 + rows.size * 500 + dismissed.size * 400,
  ),
  missingMappings: kind(folds.missingMappings, ({ allIds }) => 512 + allIds.size * 160),
  names: kind(folds.names, ({ size }) => 512 + size * 120),
  purge: kind(folds.purge, smallState),
  referenceType: kind(folds.referenceType, smallState),
  relationship: kind(folds.relationship, smallState),
  registeredPurges: kind(folds.registeredPurges, smallState),
  // 1,200 bytes are for a row with its attributes and its entries in the two indexes.
  relationshipValues: kind(folds.relationshipValues, ({ rows }) => 512 + rows.size * 1_200),
  savedFilter: kind(folds.savedFilter, smallState),
};
