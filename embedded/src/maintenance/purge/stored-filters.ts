/** Saved filters and filter configurations, with everything that their streams say of the data that they name. */
import { type ListView, namesIn, type RecordedEvent, streams } from '@rdm/contracts';

export const FILTER_KINDS = ['savedFilter', 'filterConfiguration'] as const;
export type FilterKind = (typeof FILTER_KINDS)[number];

/** The event that creates one. */
export const CREATED: Record<FilterKind, string> = {
  savedFilter: 'SavedFilterCreated',
  filterConfiguration: 'FilterConfigurationCreated',
};

export interface StoredFilter {
  kind: FilterKind;
  id: number;
  name: string;
  /** The list, such as `data-set:3`. */
  subject: string;
  /** The fields that any of its versions named. */
  fields: Set<string>;
}

/** The members that are read of the events. */
interface FilterData {
  entity?: string;
  entityType?: string;
  name?: string;
  fieldName?: string;
  view?: ListView;
}

export const streamOfFilter = (kind: FilterKind, id: number): string => streams[kind](id);

export async function readFilter(
  kind: FilterKind,
  id: number,
  read: (stream: string) => AsyncIterable<RecordedEvent>,
): Promise<StoredFilter> {
  const filter: StoredFilter = { kind, id, name: '', subject: '', fields: new Set() };
  for await (const { data } of read(streamOfFilter(kind, id))) {
    const { entity, entityType, name, fieldName, view } = data as FilterData;
    filter.name = name ?? filter.name;
    filter.subject ||= entity ?? entityType ?? '';
    if (fieldName !== undefined) filter.fields.add(fieldName);
    for (const field of view ? namesIn(view) : []) filter.fields.add(field);
  }
  return filter;
}
