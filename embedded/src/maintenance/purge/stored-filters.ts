/** Reads a saved filter or filter configuration from its stream, with the fields of all its versions. */
import { fieldNamesIn, type ListView, type RecordedEvent, streams } from '@rdm/contracts';

export const FILTER_KINDS = ['savedFilter', 'filterConfiguration'] as const;
export type FilterKind = (typeof FILTER_KINDS)[number];

/** The type of the event that creates a filter or configuration. */
export const CREATION_EVENTS: Record<FilterKind, string> = {
  savedFilter: 'SavedFilterCreated',
  filterConfiguration: 'FilterConfigurationCreated',
};

export interface StoredFilter {
  kind: FilterKind;
  id: number;
  name: string;
  /** The list, such as `data-set:3`. */
  list: string;
  /** The fields that any version of the filter used. */
  fields: Set<string>;
}

/** The properties that `readFilter` reads from the events. */
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
  const filter: StoredFilter = { kind, id, name: '', list: '', fields: new Set() };
  for await (const { data } of read(streamOfFilter(kind, id))) {
    const { entity, entityType, name, fieldName, view } = data as FilterData;
    filter.name = name ?? filter.name;
    // Only the first event names the list: as `entity` for a saved filter, and as `entityType` for a configuration.
    filter.list ||= entity ?? entityType ?? '';
    if (fieldName !== undefined) filter.fields.add(fieldName);
    for (const field of view ? fieldNamesIn(view) : []) filter.fields.add(field);
  }
  return filter;
}
