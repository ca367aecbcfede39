/** Unique names of types, collections, roles, groups, saved filters and filter configurations: one stream per scope. */
import { z } from 'zod';
import { type EventsOf, event } from '../events/event.ts';
import { Id } from './fields.ts';

export const nameEvents = {
  NameClaimed: event(z.object({ name: z.string(), ownerId: Id })),
  NameReleased: event(z.object({ name: z.string(), ownerId: Id })),
};
export type NameEvent = EventsOf<typeof nameEvents>;

/** The ids of the owners by normalised name. `evolveNames` changes the map in place. */
export type Names = Map<string, number>;

/** Normalises a name for comparisons: NFKC, lower case, trimmed, each run of white space replaced by one space. */
export const normaliseName = (name: string): string => name.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ');

/** Folds one event; a release counts only if the owner still holds the name. */
export function evolveNames(state: Names, event: NameEvent): Names {
  const name = normaliseName(event.data.name);
  if (event.type === 'NameClaimed') state.set(name, event.data.ownerId);
  else if (state.get(name) === event.data.ownerId) state.delete(name);
  return state;
}
