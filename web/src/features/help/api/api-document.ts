/** Reads the OpenAPI document of the product, and finds the parts that the API reference shows. */
import { queryOptions } from '@tanstack/react-query';
import { read } from '../../../lib/api/index.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: unknown[];
  const?: unknown;
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

export interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

type Content = Record<string, { schema?: Schema; example?: unknown }>;

export interface DocumentedResponse {
  $ref?: string;
  description: string;
  content?: Content;
}

interface DocumentedOperation {
  operationId: string;
  tags: string[];
  summary: string;
  /** Describes where users find the values of the example that differ by installation. */
  description?: string;
  'x-codeSamples': { label: string; source: string }[];
  security: Record<string, unknown>[];
  parameters: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, DocumentedResponse>;
}

export interface Operation extends DocumentedOperation {
  method: string;
  path: string;
}

export interface ApiDocument {
  info: { description: string };
  tags: { name: string }[];
  paths: Record<string, Record<string, DocumentedOperation>>;
  components: {
    parameters: Record<string, Parameter>;
    responses: Record<string, DocumentedResponse>;
    schemas: Record<string, Schema>;
  };
}

export const apiDocumentQuery = queryOptions({
  queryKey: ['api-document'],
  queryFn: () => read<ApiDocument>('/api/openapi.json'),
  // Never stale, because the document changes only with the version of the product.
  staleTime: Number.POSITIVE_INFINITY,
});

export const operationsOf = ({ paths }: ApiDocument): Operation[] =>
  Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );

/** The operations whose summary, method, path and groups together contain every word of the query. */
export function findOperations(document: ApiDocument, query: string): Operation[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return operationsOf(document).filter(({ summary, method, path, tags }) => {
    const text = [summary, method, path, ...tags].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

export const addressOfOperation = ({ operationId }: Operation): string => `/help/api-reference#${operationId}`;

const nameIn = (reference: string): string => reference.split('/').at(-1) ?? '';

export const parameterOf = ({ components }: ApiDocument, parameter: Parameter): Parameter =>
  parameter.$ref === undefined ? parameter : (components.parameters[nameIn(parameter.$ref)] ?? parameter);

export const responseOf = ({ components }: ApiDocument, response: DocumentedResponse): DocumentedResponse =>
  response.$ref === undefined ? response : (components.responses[nameIn(response.$ref)] ?? response);

export const schemaOf = ({ components }: ApiDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : { ...components.schemas[nameIn(schema.$ref)], ...schema };

/** Describes the callers that the operation allows. */
export function callersOf({ security }: Operation): 'Public' | 'API key or session' | 'Session' {
  if (security.length === 0) return 'Public';
  return security.some((scheme) => 'bearer' in scheme) ? 'API key or session' : 'Session';
}

/** Describes the type of a value in a few words; a schema without a type is any JSON. */
export function typeWords(document: ApiDocument, schema: Schema): string {
  const { type, enum: values, const: constant, items, anyOf, oneOf, format } = schemaOf(document, schema);
  if (constant !== undefined) return JSON.stringify(constant);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(' | ');
  const parts = anyOf ?? oneOf;
  if (parts !== undefined) return [...new Set(parts.map((part) => typeWords(document, part)))].join(' | ');
  if (items !== undefined) return `${typeWords(document, items)}[]`;
  if (type === undefined) return 'any';
  return `${[type].flat().join(' | ')}${format === undefined ? '' : ` (${format})`}`;
}

/**
 * The object schema whose properties can be listed: the schema itself, the item of a list, the first object among
 * several alternatives, the values of a map, or the combined objects of `allOf`. Undefined if the schema has no object.
 */
export function objectIn(document: ApiDocument, schema: Schema): Schema | undefined {
  const resolved = schemaOf(document, schema);
  if (resolved.properties !== undefined) return resolved;
  if (resolved.items !== undefined) return objectIn(document, resolved.items);
  for (const part of resolved.anyOf ?? resolved.oneOf ?? []) {
    const object = objectIn(document, part);
    if (object !== undefined) return object;
  }
  if (typeof resolved.additionalProperties === 'object') return objectIn(document, resolved.additionalProperties);
  const objects = (resolved.allOf ?? []).flatMap((part) => objectIn(document, part) ?? []);
  return objects.length === 0
    ? undefined
    : {
        properties: Object.assign({}, ...objects.map(({ properties }) => properties)),
        required: objects.flatMap(({ required = [] }) => required),
      };
}

/** The shell commands that send the examples of an operation to this server. */
export const commandsOf = (operation: Operation, origin: string): { label: string; source: string }[] =>
  operation['x-codeSamples'].map(({ label, source }) => ({ label, source: source.replaceAll('$ORIGIN', origin) }));
