/** Holds documents against the schemas beside it. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

const fileOf = (name: string): unknown => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));

/** FHIR's schema leaves it to the reader that what has properties is an object: said, so that nothing else passes. */
function explicit(schema: Record<string, unknown>): JsonSchema {
  for (const definition of Object.values(schema['definitions'] ?? {}) as Record<string, unknown>[]) {
    if (definition['properties'] !== undefined) definition['type'] ??= 'object';
  }
  // The draft it names differs in nothing that it uses.
  return { ...schema, $schema: 'http://json-schema.org/draft-07/schema#' } as JsonSchema;
}

const conceptMap = z.fromJSONSchema(explicit(fileOf('fhir-r4-conceptmap.schema.json') as Record<string, unknown>));
const mappingSet = z.fromJSONSchema(fileOf('sssom.schema.json') as JsonSchema);

const problemsOf = (schema: z.ZodType, document: unknown): string[] =>
  schema.safeParse(document).error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];

/** What is wrong with a document as a FHIR R4 ConceptMap; nothing where it is one. */
export const conceptMapProblems = (document: unknown): string[] => problemsOf(conceptMap, document);

/** The same for an SSSOM mapping set. */
export const mappingSetProblems = (document: unknown): string[] => problemsOf(mappingSet, document);

/** ConceptMaps that HL7 published, by id. */
export const HL7_CONCEPT_MAPS = new Map(
  (fileOf('hl7-conceptmaps.json') as { id: string }[]).map((map) => [map.id, map]),
);
