/** The lists for which filters can be saved and configured. */
import { z } from 'zod';

interface ListKind {
  label: string;
  /** The path of the route that returns the list. */
  path: string;
  /** The route that the role of a reader must have; undefined if grants on the entity `of` decide. */
  route?: string;
  /**
   * The kind of entity, if each entity has its own list with its own filters. The key of such a list ends with a colon
   * and the id of the entity.
   */
  of?: 'data-set' | 'crosswalk' | 'relationship';
  /** Set if the lists of all entities share their stored filters, because all these lists have the same fields. */
  isConfiguredTogether?: true;
  /**
   * The fields with personal data, with `q` if the search finds names of people; or `all` for all fields and the search.
   * Filters on these fields are not stored, because events must not contain personal data.
   */
  personal?: 'all' | readonly string[];
}

/** The lists by name. */
export const LISTS = {
  'reference-types': { label: 'Reference data types', path: '/api/reference-types', route: '/reference-types' },
  'data-sets': { label: 'Reference data sets', path: '/api/reference-data', route: '/collections' },
  'data-set': { label: 'Rows of a data set', path: '/api/reference-data/:id/instances', of: 'data-set' },
  integrity: { label: 'Problems of a data set', path: '/api/reference-data/:id/integrity', of: 'data-set' },
  relationships: { label: 'Relationships', path: '/api/relationships', route: '/relationships' },
  relationship: { label: 'Values of a relationship', path: '/api/relationships/:id/values', of: 'relationship' },
  'relationship-values': {
    label: 'Values of all relationships',
    path: '/api/relationships/values',
    route: '/relationships',
  },
  crosswalks: { label: 'Crosswalks', path: '/api/crosswalks', route: '/crosswalks' },
  crosswalk: { label: 'Mappings of a crosswalk', path: '/api/crosswalks/:id/mappings', of: 'crosswalk' },
  comparison: {
    label: 'Comparison with a data set',
    path: '/api/crosswalk/comparison/:targetDatasetId',
    of: 'data-set',
  },
  'missing-mappings': {
    label: 'Missing mappings',
    path: '/api/missing-mappings',
    route: '/crosswalks',
    personal: ['requester', 'requestUsername'],
  },
  approvals: { label: 'Approvals', path: '/api/approvals', route: '/approvals' },
  collections: { label: 'Collections', path: '/api/collections', route: '/collections' },
  'collection-data-sets': {
    label: 'Data sets of a collection',
    path: '/api/collections/:id/items',
    route: '/collections',
    isConfiguredTogether: true,
  },
  'collection-activity': {
    label: 'Activity of a collection',
    path: '/api/collections/:id/activity',
    route: '/collections',
    isConfiguredTogether: true,
    personal: ['username', 'q'],
  },
  jobs: { label: 'Jobs', path: '/api/jobs', route: '/monitor', personal: ['startedBy'] },
  'job-logs': { label: 'Log of a job', path: '/api/jobs/:jobId/logs', route: '/monitor', isConfiguredTogether: true },
  projections: { label: 'Projections', path: '/api/monitor/projections', route: '/monitor' },
  errors: { label: 'Errors', path: '/api/diagnostics/errors', route: '/diagnostics' },
  'site-paths': { label: 'Site paths', path: '/api/site-paths', route: '/site-paths' },
  audit: {
    label: 'Audit logs',
    path: '/api/audit-logs',
    route: '/audit-logs',
    personal: ['username', 'ipAddress', 'entityName'],
  },
  'audit-activities': {
    label: 'Activities',
    path: '/api/audit-logs/activities',
    route: '/audit-logs',
    // The search of this list finds activities by the names of people.
    personal: 'all',
  },
  'login-attempts': { label: 'Attempted sign-ins', path: '/api/login-attempts', route: '/audit-logs', personal: 'all' },
  users: { label: 'Users', path: '/api/users', route: '/manage-users', personal: 'all' },
  groups: { label: 'Groups', path: '/api/groups', route: '/manage-users' },
  'mail-outbox': { label: 'Mail', path: '/api/mail-outbox', route: '/manage-users', personal: 'all' },
  roles: { label: 'Roles', path: '/api/roles', route: '/roles' },
  'api-keys': { label: 'API keys', path: '/api/api-keys', route: '/api-keys', personal: ['createdByName'] },
} as const satisfies Record<string, ListKind>;
export type ListName = keyof typeof LISTS;
/** The key of a list: its name and, for a kind with `of`, the id of the entity. */
export type ListKey = ListName | `${ListName}:${number}`;

export const listKind = (name: ListName): ListKind => LISTS[name];

/** A parsed list key: `data-set:12` is the list `data-set` of data set 12. */
export interface ListSubject {
  list: ListName;
  /** Null for a key without an id. */
  subjectId: number | null;
}

/** Parses the key of a list; undefined if there is no such list. */
export function listSubject(key: string): ListSubject | undefined {
  const [, name = '', digits] = /^([a-z-]{1,40})(?::([1-9]\d{0,14}))?$/.exec(key) ?? [];
  if (!Object.hasOwn(LISTS, name)) return undefined;
  const list = name as ListName;
  if ((listKind(list).of === undefined) !== (digits === undefined)) return undefined;
  return { list, subjectId: digits === undefined ? null : Number(digits) };
}

/** Makes the key of a list, such as `data-sets` or `data-set:12`. */
export const listKeyOf = (list: ListName, subjectId: number | null): string =>
  subjectId === null ? list : `${list}:${subjectId}`;

export const ListEntity = z
  .string({ error: 'Entity type is required' })
  .min(1, 'Entity type is required')
  .refine((entity) => listSubject(entity) !== undefined, {
    error: `There is no such list. Use one of: ${Object.entries<ListKind>(LISTS)
      .map(([name, { of }]) => (of === undefined ? name : `${name}:<id>`))
      .join(', ')}`,
  });
