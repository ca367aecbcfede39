/** Validates documents against the schemas of this folder. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

const fileOf = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

/** Declares each definition of the FHIR schema that has properties as an object, which this schema does not do. */
function withObjectTypes(schema: Record<string, unknown>): JsonSchema {
  for (const definition of Object.values(schema['definitions'] ?? {}) as Record<string, unknown>[]) {
    if (definition['properties'] !== undefined) definition['type'] ??= 'object';
  }
  // The schema names another draft of JSON Schema; the two drafts do not differ in the keywords that it uses.
  return { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' } as JsonSchema;
}

const conceptMap = z.fromJSONSchema(
  withObjectTypes(fileOf('fhir-r4-conceptmap.schema.json') as Record<string, unknown>),
);
const mappingSet = z.fromJSONSchema(fileOf('sssom.schema.json') as JsonSchema);

const problemsOf = (schema: z.ZodType, document: unknown): string[] =>
  schema.safeParse(document).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

/** Returns the problems of a document as a FHIR R4 ConceptMap; an empty list if it is valid. */
export const conceptMapProblems = (document: unknown): string[] => problemsOf(conceptMap, document);

/** Returns the problems of a document as an SSSOM mapping set; an empty list if it is valid. */
export const mappingSetProblems = (document: unknown): string[] => problemsOf(mappingSet, document);

/** ConceptMaps published by HL7, by id. */
export const HL7_CONCEPT_MAPS = new Map(
  (fileOf('hl7-conceptmaps.json') as { id: string }[]).map((map) => [map.id, map]),
);
