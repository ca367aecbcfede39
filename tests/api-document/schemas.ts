/** Converts zod schemas to JSON Schema. Schemas of answers, and the named schemas that they use, become components. */
import * as contracts from '@rdm/contracts';
import { z } from 'zod';

export type JsonSchema = { [keyword: string]: unknown };

const COMPONENT = '#/components/schemas/';

const isSchema = (value: unknown): value is z.ZodType => value instanceof z.ZodType;

/** Makes objects open, so that later versions may add properties. */
function openObjects({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema['additionalProperties'] === false) delete jsonSchema['additionalProperties'];
}

const toJsonSchema = (schema: z.ZodType, options: z.core.ToJSONSchemaParams): JsonSchema => {
  const { $schema: _, ...jsonSchema } = z.toJSONSchema(schema, {
    ...options,
    target: 'draft-2020-12',
    unrepresentable: 'any',
    override: openObjects as never,
  });
  return jsonSchema;
};

/** Returns the schema of data that callers send. */
export const inputSchema = (schema: z.ZodType): JsonSchema => toJsonSchema(schema, { io: 'input' });

/** Collects the schemas of answers as components, each written once and referenced by name. */
export class AnswerSchemas {
  readonly #answers = new Map<string, z.ZodType>();

  /** Adds a schema under its exported name, or under `id` without an exported name. Returns the reference. */
  add(id: string, schema: z.ZodType): JsonSchema {
    const name = NAMES.get(schema) ?? id;
    this.#answers.set(name, schema);
    return { $ref: `${COMPONENT}${name}` };
  }

  /** Returns the added schemas and all referenced schemas, by name. */
  components(): Record<string, JsonSchema> {
    const registry = z.registry<{ id: string }>();
    for (const [schema, id] of NAMES) registry.add(schema, { id });
    for (const [id, schema] of this.#answers) registry.add(schema, { id });
    const { schemas } = z.toJSONSchema(registry, {
      io: 'output',
      target: 'draft-2020-12',
      unrepresentable: 'any',
      uri: (id) => `${COMPONENT}${id}`,
      override: openObjects as never,
    });
    const used = new Map<string, JsonSchema>();
    const visit = (id: string) => {
      const schema = schemas[id];
      if (schema === undefined || used.has(id)) return;
      const { $schema: _, $id: __, ...component } = schema;
      used.set(id, component as JsonSchema);
      for (const [, name = ''] of JSON.stringify(component).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) visit(name);
    };
    for (const id of this.#answers.keys()) visit(id);
    return Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const NAMES: ReadonlyMap<z.ZodType, string> = new Map(
  Object.entries(contracts).flatMap(([name, value]): [z.ZodType, string][] =>
    isSchema(value) && /^[A-Z]/.test(name) ? [[value, name]] : [],
  ),
);
