/** The names of streams: `category-id`, without any other dash (domain.md). */
import { BUCKETS } from '../constants.ts';

export const ACCESS_STREAM = 'access-main';
/** The stream of the keys that sign the audit log. */
export const SIGNING_KEYS_STREAM = 'system-keys';
export const BACKUPS_STREAM = 'system-backups';
/** The stream of the purges whose manifests are sealed. */
export const PURGES_STREAM = 'system-purges';

export const streams = {
  referenceType: (id: number) => `referenceType-${id}`,
  dataSet: (id: number) => `dataSet-${id}`,
  instances: (dataSetId: number, bucket: number) => `instances-${dataSetId}.${bucket}`,
  relationship: (id: number) => `relationship-${id}`,
  relationshipValues: (relationshipId: number, bucket: number) => `relationshipValues-${relationshipId}.${bucket}`,
  crosswalk: (id: number) => `crosswalk-${id}`,
  mappings: (crosswalkId: number, bucket: number) => `mappings-${crosswalkId}.${bucket}`,
  missingMappings: (crosswalkId: number) => `missingMappings-${crosswalkId}`,
  importJob: (id: number) => `importJob-${id}`,
  bulkDecision: (jobId: number) => `bulkDecision-${jobId}`,
  user: (id: number) => `user-${id}`,
  apiKey: (id: number) => `apiKey-${id}`,
  savedFilter: (id: number) => `savedFilter-${id}`,
  filterConfiguration: (id: number) => `filterConfiguration-${id}`,
  purge: (id: number) => `purge-${id}`,
  names: (scope: NameScope) => `names-${scope}`,
} as const;

export const NAME_SCOPES = ['types', 'collections', 'roles', 'groups', 'savedFilters', 'filterConfigurations'] as const;
export type NameScope = (typeof NAME_SCOPES)[number];

export interface StreamName {
  category: string;
  /** The numeric id of the entity, or NaN for names such as `access-main` and `names-types`. */
  id: number;
  bucket: number | undefined;
}

/** Parses a stream name: `mappings-12.7` has category `mappings`, id 12, bucket 7. */
export function parseStream(stream: string): StreamName {
  const dash = stream.indexOf('-');
  const category = stream.slice(0, dash);
  const [id, bucket] = stream.slice(dash + 1).split('.');
  return { category, id: Number(id), bucket: bucket === undefined ? undefined : Number(bucket) };
}

export const bucketOfRow = (rowId: number): number => rowId % BUCKETS;
