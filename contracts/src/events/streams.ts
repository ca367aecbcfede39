/** Builds and parses the names of streams, such as `dataSet-3`, `mappings-12.7` and `access-main`. */
import { BUCKETS } from '../constants.ts';

export const ACCESS_STREAM = 'access-main';
/** The stream of the keys that sign the audit log, backups and manifests of purges. */
export const SIGNING_KEYS_STREAM = 'system-keys';
export const BACKUPS_STREAM = 'system-backups';
/** The stream in which a purge is registered before the purge deletes anything. */
export const PURGES_STREAM = 'system-purges';

export const streams = {
  referenceType: (id: number) => `referenceType-${id}` as const,
  dataSet: (id: number) => `dataSet-${id}` as const,
  instances: (dataSetId: number, bucket: number) => `instances-${dataSetId}.${bucket}` as const,
  relationship: (id: number) => `relationship-${id}` as const,
  relationshipValues: (relationshipId: number, bucket: number) =>
    `relationshipValues-${relationshipId}.${bucket}` as const,
  crosswalk: (id: number) => `crosswalk-${id}` as const,
  mappings: (crosswalkId: number, bucket: number) => `mappings-${crosswalkId}.${bucket}` as const,
  missingMappings: (crosswalkId: number) => `missingMappings-${crosswalkId}` as const,
  importJob: (id: number) => `importJob-${id}` as const,
  bulkDecision: (jobId: number) => `bulkDecision-${jobId}` as const,
  user: (id: number) => `user-${id}` as const,
  apiKey: (id: number) => `apiKey-${id}` as const,
  savedFilter: (id: number) => `savedFilter-${id}` as const,
  filterConfiguration: (id: number) => `filterConfiguration-${id}` as const,
  purge: (id: number) => `purge-${id}` as const,
  names: (scope: NameScope) => `names-${scope}` as const,
};

export const NAME_SCOPES = ['types', 'collections', 'roles', 'groups', 'savedFilters', 'filterConfigurations'] as const;
export type NameScope = (typeof NAME_SCOPES)[number];

export interface StreamName {
  category: string;
  /** The id in the name; NaN if the name has none, as in `access-main` and `names-types`. */
  id: number;
  bucket: number | undefined;
}

/** Parses a stream name: `mappings-12.7` has category `mappings`, id 12, bucket 7. */
export function parseStream(stream: string): StreamName {
  const dash = stream.indexOf('-');
  const dot = stream.indexOf('.', dash);
  const category = stream.slice(0, dash);
  if (dot < 0) return { category, id: Number(stream.slice(dash + 1)), bucket: undefined };
  return { category, id: Number(stream.slice(dash + 1, dot)), bucket: Number(stream.slice(dot + 1)) };
}

export const bucketOfRow = (rowId: number): number => rowId % BUCKETS;
