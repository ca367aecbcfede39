/** Every event type of the product with its schema and version: the one place where stored data becomes typed. */
import { accessEvents } from './access.ts';
import { apiKeyEvents } from './api-keys.ts';
import { bulkDecisionEvents } from './bulk-decisions.ts';
import { crosswalkEvents, mappingBucketEvents, missingMappingEvents } from './crosswalks.ts';
import { dataSetEvents, instanceEvents } from './data-sets.ts';
import type { EventDefinition, EventDefinitions, EventsOf } from './event.ts';
import { filterConfigurationEvents } from './filter-configurations.ts';
import { userEvents } from './identity.ts';
import { importJobEvents } from './imports.ts';
import { nameEvents } from './names.ts';
import { referenceTypeEvents } from './reference-types.ts';
import { relationshipValueEvents } from './relationship-values.ts';
import { relationshipEvents } from './relationships.ts';
import { savedFilterEvents } from './saved-filters.ts';

/** Event definitions by the category of their streams. */
export const eventsByCategory = {
  access: accessEvents,
  apiKey: apiKeyEvents,
  bulkDecision: bulkDecisionEvents,
  crosswalk: crosswalkEvents,
  dataSet: dataSetEvents,
  filterConfiguration: filterConfigurationEvents,
  importJob: importJobEvents,
  instances: instanceEvents,
  mappings: mappingBucketEvents,
  missingMappings: missingMappingEvents,
  names: nameEvents,
  referenceType: referenceTypeEvents,
  relationship: relationshipEvents,
  relationshipValues: relationshipValueEvents,
  savedFilter: savedFilterEvents,
  user: userEvents,
} as const satisfies Record<string, EventDefinitions>;

export type Category = keyof typeof eventsByCategory;
export type EventsIn<C extends Category> = EventsOf<(typeof eventsByCategory)[C]>;
export type ProductEvent = { [C in Category]: EventsIn<C> }[Category];
export type EventType = ProductEvent['type'];

const definitions = new Map<string, EventDefinition>(
  Object.values(eventsByCategory).flatMap((room) => Object.entries(room) as [string, EventDefinition][]),
);

export const eventTypes = (): string[] => [...definitions.keys()];
export const isProductEvent = (type: string): boolean => definitions.has(type);

export function definitionOf(type: string): EventDefinition {
  const definition = definitions.get(type);
  if (!definition) throw new Error(`Unknown event type ${type}: this version of the product cannot read it`);
  return definition;
}

export const currentVersion = (type: string): number => definitionOf(type).version;

/** Brings stored data of any version to today's shape. Throws when a version is newer than this code knows. */
export function upcast(type: string, version: number, data: unknown): unknown {
  const definition = definitionOf(type);
  if (version > definition.version) {
    throw new Error(`${type} has version ${version}; this code knows ${definition.version}: upgrade before reading it`);
  }
  let upcasted = data;
  for (let from = version; from < definition.version; from++) {
    const upcaster = definition.upcasters[from];
    if (!upcaster) throw new Error(`${type} has no upcaster from version ${from}`);
    upcasted = upcaster(upcasted);
  }
  return upcasted;
}

/** Refuses to let a malformed event into the log. */
export const validateEvent = (type: string, data: unknown): void => {
  definitionOf(type).schema.parse(data);
};
