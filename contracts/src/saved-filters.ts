/** Saved filters: how somebody looks at a list, under a name, kept private or shared with those who may read the list. */
import { z } from 'zod';
import { type EventsOf, event } from './event.ts';
import { Id, Name } from './fields.ts';
import { Filter, type FilterGroup } from './filter.ts';
import { ListEntity, listKind, listSubject } from './lists.ts';

const FIELD_NAME_MAX = 500;
const COLUMNS_MAX = 500;

/** What of a list's state is kept: everything but the page. Null where the list's own choice stands. */
export const ListView = z.object({
  filter: Filter.nullable().default(null),
  q: z.string().max(FIELD_NAME_MAX).nullable().default(null),
  sort: z.string().max(FIELD_NAME_MAX).nullable().default(null),
  order: z.enum(['ASC', 'DESC']).nullable().default(null),
  columns: z.array(z.string().max(FIELD_NAME_MAX)).max(COLUMNS_MAX).nullable().default(null),
});
export type ListView = z.infer<typeof ListView>;

export const savedFilterEvents = {
  SavedFilterCreated: event(
    z.object({
      id: Id,
      name: z.string(),
      entity: z.string(),
      view: ListView,
      isShared: z.boolean(),
      ownerId: Id,
    }),
  ),
  SavedFilterChanged: event(
    z.object({ name: z.string().optional(), view: ListView.optional(), isShared: z.boolean().optional() }),
  ),
  SavedFilterDeleted: event(z.object({})),
};
export type SavedFilterEvent = EventsOf<typeof savedFilterEvents>;

export interface SavedFilter {
  id: number;
  name: string;
  entity: string;
  view: ListView;
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
  const { name = state.name, view = state.view, isShared = state.isShared } = event.data;
  return { ...revised, name, view, isShared };
}

/** The personal data that a view would keep: the name of a field, or `q`; null where it keeps none. */
export function personalIn(entity: string, { filter, q }: Pick<ListView, 'filter' | 'q'>): string | null {
  const list = listSubject(entity)?.list;
  const personal = (list && listKind(list).personal) ?? [];
  const named = filter === null ? [] : fieldsOf(filter);
  if (personal === 'all') return named[0] ?? (q === null || q === '' ? null : 'q');
  return named.find((field) => personal.includes(field)) ?? null;
}

const fieldsOf = ({ conditions }: FilterGroup): string[] =>
  conditions.flatMap((each) => ('conditions' in each ? fieldsOf(each) : [each.field]));

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

/** GET /api/saved-filters: those of one list where `entity` names it. */
export const SavedFiltersQuery = z.object({ entity: ListEntity.optional() });

/** One item of GET /api/saved-filters: one's own, and those shared with whoever may read the list. */
export interface SavedFilterView {
  id: number;
  name: string;
  entity: string;
  view: ListView;
  isShared: boolean;
  ownerId: number;
  revision: number;
  createdAt: string;
  updatedAt: string;
}
