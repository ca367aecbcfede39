/** Saved filters: named views of a list, private or shared with the users who may read the list. */
import { z } from 'zod';
import { defineView } from '../define-view.ts';
import { type EventsOf, event } from '../events/event.ts';
import { Filter, type FilterGroup } from '../lists/filter.ts';
import { ListEntity, listKind, listSubject } from '../lists/lists.ts';
import { Id, Name } from '../text/fields.ts';

/** The maximum number of characters of a search text or of the name of a field. */
const TEXT_MAX = 500;
const COLUMNS_MAX = 500;

/**
 * The stored view of a list: its filter, search text, sorting and columns, but not the page. Null means the default of
 * the list.
 */
export const ListView = z.object({
  filter: Filter.nullable().default(null),
  q: z.string().max(TEXT_MAX).nullable().default(null),
  sort: z.string().max(TEXT_MAX).nullable().default(null),
  order: z.enum(['ASC', 'DESC']).nullable().default(null),
  columns: z.array(z.string().max(TEXT_MAX)).max(COLUMNS_MAX).nullable().default(null),
});
export type ListView = z.infer<typeof ListView>;

/** The ids of data set fields by their names in the view, because fields may be renamed. */
const FieldIds = z.record(z.string(), Id);
export type FieldIds = z.infer<typeof FieldIds>;

export const savedFilterEvents = {
  SavedFilterCreated: event(
    z.object({
      id: Id,
      name: z.string(),
      entity: z.string(),
      view: ListView,
      fieldIds: FieldIds,
      isShared: z.boolean(),
      ownerId: Id,
    }),
    2,
    { 1: (data) => ({ ...(data as object), fieldIds: {} }) },
  ),
  SavedFilterChanged: event(
    z.object({
      name: z.string().optional(),
      view: ListView.optional(),
      /** Set whenever `view` is set. */
      fieldIds: FieldIds.optional(),
      isShared: z.boolean().optional(),
    }),
    2,
    { 1: (data) => ((data as { view?: unknown }).view === undefined ? data : { ...(data as object), fieldIds: {} }) },
  ),
  SavedFilterDeleted: event(z.object({})),
};
export type SavedFilterEvent = EventsOf<typeof savedFilterEvents>;

export interface SavedFilter {
  id: number;
  name: string;
  entity: string;
  view: ListView;
  fieldIds: FieldIds;
  isShared: boolean;
  ownerId: number;
  deleted: boolean;
  revision: number;
}

export function evolveSavedFilter(state: SavedFilter | undefined, event: SavedFilterEvent): SavedFilter | undefined {
  if (event.type === 'SavedFilterCreated') return { ...event.data, deleted: false, revision: 1 };
  if (state === undefined) return undefined;
  const revised = { ...state, revision: state.revision + 1 };
  if (event.type === 'SavedFilterDeleted') return { ...revised, deleted: true };
  const { name = state.name, view = state.view, fieldIds = state.fieldIds, isShared = state.isShared } = event.data;
  return { ...revised, name, view, fieldIds, isShared };
}

/** Returns the first filtered field with personal data; null if there is none. The search text counts as a field `q`. */
export function personalFieldIn(entity: string, { filter, q }: Pick<ListView, 'filter' | 'q'>): string | null {
  const list = listSubject(entity)?.list;
  const personal = (list && listKind(list).personal) ?? [];
  const filteredFields = [...(filter === null ? [] : fieldsOf(filter)), ...(q === null || q === '' ? [] : ['q'])];
  return filteredFields.find((field) => personal === 'all' || personal.includes(field)) ?? null;
}

const fieldsOf = ({ conditions }: FilterGroup): string[] =>
  conditions.flatMap((each) => ('conditions' in each ? fieldsOf(each) : [each.field]));

/** The names of all fields that a view filters, sorts or shows, each once. */
export const fieldNamesIn = ({ filter, sort, columns }: ListView): string[] => [
  ...new Set([...(filter === null ? [] : fieldsOf(filter)), ...(sort === null ? [] : [sort]), ...(columns ?? [])]),
];

/** Returns the view with the current names of fields; a field that was not renamed keeps its name. */
export function withCurrentFieldNames(view: ListView, currentNames: ReadonlyMap<string, string>): ListView {
  const currentNameOf = (name: string) => currentNames.get(name) ?? name;
  const inGroup = ({ logic, conditions }: FilterGroup): FilterGroup => ({
    logic,
    conditions: conditions.map((each) =>
      'conditions' in each ? inGroup(each) : { ...each, field: currentNameOf(each.field) },
    ),
  });
  const { filter, sort, columns } = view;
  return {
    ...view,
    filter: filter === null ? null : inGroup(filter),
    sort: sort === null ? null : currentNameOf(sort),
    columns: columns === null ? null : columns.map(currentNameOf),
  };
}

/** POST /api/saved-filters. */
export const CreateSavedFilter = z.object({
  name: Name('Name is required'),
  entity: ListEntity,
  view: ListView,
  isShared: z.boolean().default(false),
});
export type CreateSavedFilter = z.infer<typeof CreateSavedFilter>;

/** PATCH /api/saved-filters/{id}. */
export const ChangeSavedFilter = z.object({
  name: Name('Name is required').optional(),
  view: ListView.optional(),
  isShared: z.boolean().optional(),
});
export type ChangeSavedFilter = z.infer<typeof ChangeSavedFilter>;

/** GET /api/saved-filters: the saved filters of all lists or, with `entity`, of one list. */
export const SavedFiltersQuery = z.object({
  entity: ListEntity.optional().describe('Returns only the saved filters of this list.'),
});

/** One item of GET /api/saved-filters: a filter of the user, or a filter shared with readers of the list. */
export const SavedFilterView = defineView(() =>
  z.object({
    id: z.number(),
    name: z.string(),
    entity: z.string(),
    view: ListView,
    isShared: z.boolean(),
    ownerId: z.number(),
    revision: z.number(),
    createdAt: z.string(),
    updatedAt: z.string(),
  }),
);
export type SavedFilterView = z.infer<typeof SavedFilterView>;
