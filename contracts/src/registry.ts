/** Registers all event types with their schemas and versions, and reads stored data as the current version. */
import { accessEvents } from './access/access.ts';
import { backupEvents } from './admin/backups.ts';
import { purgeEvents } from './admin/purges.ts';
import { signingKeyEvents } from './audit/signing-keys.ts';
import { crosswalkEvents } from './crosswalks/crosswalks.ts';
import { mappingBucketEvents } from './crosswalks/mappings.ts';
import { missingMappingEvents } from './crosswalks/missing-mappings.ts';
import { dataSetEvents } from './data-sets/data-sets.ts';
import { instanceEvents } from './data-sets/instances.ts';
import type { EventDefinition, EventDefinitions, EventsOf } from './events/event.ts';
import { parseStream } from './events/streams.ts';
import { filterConfigurationEvents } from './filters/filter-configurations.ts';
import { savedFilterEvents } from './filters/saved-filters.ts';
import { apiKeyEvents } from './identity/api-keys.ts';
import { userEvents } from './identity/identity.ts';
import { importJobEvents } from './imports/imports.ts';
import { bulkDecisionEvents } from './jobs/bulk-decisions.ts';
import { referenceTypeEvents } from './reference-types/reference-types.ts';
import { relationshipValueEvents } from './relationships/relationship-values.ts';
import { relationshipEvents } from './relationships/relationships.ts';
import { nameEvents } from './text/names.ts';

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
  purge: purgeEvents,
  referenceType: referenceTypeEvents,
  relationship: relationshipEvents,
  relationshipValues: relationshipValueEvents,
  savedFilter: savedFilterEvents,
  system: { ...backupEvents, ...signingKeyEvents, PurgeRegistered: purgeEvents.PurgeRegistered },
  user: userEvents,
} as const satisfies Record<string, EventDefinitions>;

/** Whether a stream belongs to the product. Only the events of such streams are numbered. */
export const isProductStream = (stream: string): boolean =>
  Object.hasOwn(eventsByCategory, parseStream(stream).category);

export type Category = keyof typeof eventsByCategory;
export type EventsIn<C extends Category> = EventsOf<(typeof eventsByCategory)[C]>;
export type ProductEvent = { [C in Category]: EventsIn<C> }[Category];
export type EventType = ProductEvent['type'];

const definitions = new Map<string, EventDefinition>(
  Object.values(eventsByCategory).flatMap((events) => Object.entries(events) as [string, EventDefinition][]),
);

export const eventTypes = (): string[] => [...definitions.keys()];
export const isProductEvent = (type: string): boolean => definitions.has(type);

export function definitionOf(type: string): EventDefinition {
  const definition = definitions.get(type);
  if (!definition) throw new Error(`Unknown event type ${type}: this version of the product cannot read it`);
  return definition;
}

export const currentVersion = (type: string): number => definitionOf(type).version;

/**
 * Upgrades stored data of any version to the current version. Throws if the type is unknown, if a newer version of the
 * product wrote the data, or if an upcaster is missing.
 */
export function upcast(type: string, version: number, data: unknown): unknown {
  const definition = definitionOf(type);
  if (version > definition.version) {
    const supported = `this program reads versions up to ${definition.version}`;
    throw new Error(`${type} has version ${version}, but ${supported}: upgrade the product`);
  }
  let upcasted = data;
  for (let from = version; from < definition.version; from++) {
    const upcaster = definition.upcasters[from];
    if (!upcaster) throw new Error(`${type} has no upcaster from version ${from}`);
    upcasted = upcaster(upcasted);
  }
  return upcasted;
}

/** Throws if the type is unknown, or if the data do not match its schema. */
export const validateEvent = (type: string, data: unknown): void => {
  definitionOf(type).schema.parse(data);
};
