/** The rooms of this floor: each answers the reads of one capability. */
import type { Route } from '@rdm/platform';
import type { Floor } from './floor.ts';
import { relationshipRoutes } from './relationships.ts';
import { selectionRoutes } from './selections.ts';

const ROOMS: readonly ((floor: Floor) => Route[])[] = [relationshipRoutes, selectionRoutes];

export const routesOf = (floor: Floor): Route[] => ROOMS.flatMap((room) => room(floor));
