/** Validates documents against the schemas of this folder. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

const readJson = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

/** Adds the `type: object` that definitions of the FHIR schema omit: without a type, zod accepts any value. */
function withObjectTypes(schema: Record<string, unknown>): JsonSchema {
  for (const definition of Object.values(schema['definitions'] ?? {}) as Record<string, unknown>[]) {
    if (definition['properties'] !== undefined) definition['type'] ??= 'object';
  }
  // The FHIR schema names draft-06, which zod does not support. Its keywords have the same meaning in draft-07.
  return { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' } as JsonSchema;
}

const conceptMap = z.fromJSONSchema(
  withObjectTypes(readJson('fhir-r4-conceptmap.schema.json') as Record<string, unknown>),
);
const mappingSet = z.fromJSONSchema(readJson('sssom.schema.json') as JsonSchema);

const problemsOf = (schema: z.ZodType, document: unknown): string[] =>
  schema.safeParse(document).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

/** Returns the reasons why a document is not a valid FHIR R4 ConceptMap; an empty list if it is valid. */
export const conceptMapProblems = (document: unknown): string[] => problemsOf(conceptMap, document);

/** Returns the reasons why a document is not a valid SSSOM mapping set; an empty list if it is valid. */
export const mappingSetProblems = (document: unknown): string[] => problemsOf(mappingSet, document);

/** Some of the ConceptMaps that HL7 publishes, by id. */
export const HL7_CONCEPT_MAPS = new Map(
  (readJson('hl7-conceptmaps.json') as { id: string }[]).map((map) => [map.id, map]),
);
