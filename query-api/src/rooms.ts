/** The rooms of this floor: each answers the reads of one capability. */
import type { Route } from '@rdm/platform';
import { collectionRoutes } from './collections.ts';
import { crosswalkRoutes } from './crosswalks.ts';
import { dataSetRoutes } from './data-sets.ts';
import type { Floor } from './floor.ts';
import { identityRoutes } from './identity.ts';
import { instanceRoutes } from './instances.ts';
import { jobRoutes } from './jobs.ts';
import { mappingRoutes } from './mappings.ts';
import { monitorRoutes } from './monitor.ts';
import { referenceTypeRoutes } from './reference-types.ts';
import { relationshipRoutes } from './relationships.ts';
import { selectionRoutes } from './selections.ts';
import { suggestionRoutes } from './suggestions.ts';

const ROOMS: readonly ((floor: Floor) => Route[])[] = [
  collectionRoutes,
  crosswalkRoutes,
  dataSetRoutes,
  identityRoutes,
  instanceRoutes,
  jobRoutes,
  mappingRoutes,
  monitorRoutes,
  referenceTypeRoutes,
  relationshipRoutes,
  selectionRoutes,
  suggestionRoutes,
];

export const routesOf = (floor: Floor): Route[] => ROOMS.flatMap((room) => room(floor));
