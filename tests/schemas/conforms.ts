/** Validates documents against the schemas beside it. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

const fileOf = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

/** The schema of FHIR does not require that something with properties is an object: this adds it. */
function explicit(schema: Record<string, unknown>): JsonSchema {
  for (const definition of Object.values(schema['definitions'] ?? {}) as Record<string, unknown>[]) {
    if (definition['properties'] !== undefined) definition['type'] ??= 'object';
  }
  // The draft that it names has no difference in the used keywords.
  return { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' } as JsonSchema;
}

const conceptMap = z.fromJSONSchema(explicit(fileOf('fhir-r4-conceptmap.schema.json') as Record<string, unknown>));
const mappingSet = z.fromJSONSchema(fileOf('sssom.schema.json') as JsonSchema);

const problemsOf = (schema: z.ZodType, document: unknown): string[] =>
  schema.safeParse(document).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

/** Returns the problems of a document as a FHIR R4 ConceptMap; none if it is valid. */
export const conceptMapProblems = (document: unknown): string[] => problemsOf(conceptMap, document);

/** The same for an SSSOM mapping set. */
export const mappingSetProblems = (document: unknown): string[] => problemsOf(mappingSet, document);

/** ConceptMaps published by HL7, by id. */
export const HL7_CONCEPT_MAPS = new Map(
  (fileOf('hl7-conceptmaps.json') as { id: string }[]).map((map) => [map.id, map]),
);
