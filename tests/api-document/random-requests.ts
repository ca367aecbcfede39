/**
 * Makes random requests from the OpenAPI document: mostly valid requests, and some with wrong values. The same seed
 * makes the same requests.
 */
import { type ApiDocument, apiDocument, type Operation } from './answer-check.ts';
import type { JsonSchema } from './schemas.ts';

type Random = () => number;

export interface RandomRequest {
  operationId: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** The probability that a value comes from `WRONG_VALUES`, and that a required query parameter is missing. */
const WRONG = 0.06;
const TEXTS = [
  '',
  'DE',
  'name',
  'A b',
  'ä€😀',
  "'; --",
  '%',
  '\u202e',
  '9007199254740993',
  'null',
  '{}',
  '-1',
  'x'.repeat(300),
];
const WRONG_VALUES: readonly unknown[] = [null, true, -1, 0, 1.5, 1e15, '', 'x', [], {}, [null], { a: 1 }, '\u0000'];
/** The size of the range of random numbers. It is small, because the product under test has small ids. */
const NUMBER_RANGE = 25;
const ITEMS_MAX = 3;

const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value;

const uuid = (random: Random): string => {
  const hex = () => Math.floor(random() * 16).toString(16);
  const digits = (count: number) => Array.from({ length: count }, hex).join('');
  return `${digits(8)}-${digits(4)}-4${digits(3)}-8${digits(3)}-${digits(12)}`;
};

function randomText(random: Random, schema: JsonSchema): string {
  if (schema['format'] === 'uuid') return uuid(random);
  if (schema['format'] === 'email') return `${uuid(random)}@example.com`;
  const text = pick(random, TEXTS);
  const { minLength = 0, maxLength = 1_000 } = schema as { minLength?: number; maxLength?: number };
  return text.padEnd(minLength, 'a').slice(0, maxLength);
}

function randomNumber(random: Random, { type, minimum = 0, maximum = NUMBER_RANGE }: JsonSchema): number {
  const [from, to] = [Number(minimum), Math.min(Number(maximum), Number(minimum) + NUMBER_RANGE)];
  const value = from + random() * (to - from);
  return type === 'integer' ? Math.round(value) : value;
}

function randomObject(random: Random, { properties = {}, required = [] }: JsonSchema): unknown {
  const schemas = Object.entries(properties as Record<string, JsonSchema>);
  const isRequired = (name: string) => (required as string[]).includes(name);
  return Object.fromEntries(
    schemas
      .filter(([name]) => (isRequired(name) ? random() > WRONG / 2 : random() < 0.5))
      .map(([name, schema]) => [name, randomValue(random, schema)]),
  );
}

export function randomValue(random: Random, schema: JsonSchema): unknown {
  if (random() < WRONG) return pick(random, WRONG_VALUES);
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as JsonSchema[] | undefined;
  if (alternatives !== undefined) return randomValue(random, pick(random, alternatives));
  const combined = schema['allOf'] as JsonSchema[] | undefined;
  if (combined !== undefined) return Object.assign({}, ...combined.map((part) => randomValue(random, part)));
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return pick(random, schema['enum']);
  switch (pick(random, [schema['type']].flat())) {
    case 'string':
      return randomText(random, schema);
    case 'integer':
    case 'number':
      return randomNumber(random, schema);
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    case 'array': {
      const count = Math.max(Number(schema['minItems'] ?? 0), Math.floor(random() * (ITEMS_MAX + 1)));
      return Array.from({ length: Math.min(count, ITEMS_MAX) }, () =>
        randomValue(random, schema['items'] as JsonSchema),
      );
    }
    case 'object':
      return randomObject(random, schema);
    default:
      return pick(random, WRONG_VALUES);
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

export type DocumentedOperation = { method: string; template: string; operation: Operation };

export const documentedOperations = (document: ApiDocument = apiDocument): DocumentedOperation[] =>
  Object.entries(document.paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
  );

export function randomRequest(random: Random, { method, template, operation }: DocumentedOperation): RandomRequest {
  const inlineParameters = operation.parameters.filter(({ $ref }) => $ref === undefined);
  const path = inlineParameters
    .filter((each) => each.in === 'path')
    .reduce(
      (text, { name, schema }) =>
        text.replace(`{${name}}`, encodeURIComponent(asText(randomValue(random, schema)) || '0')),
      template,
    );
  const query = new URLSearchParams(
    inlineParameters
      .filter((each) => each.in === 'query' && (each.required ? random() > WRONG : random() < 0.3))
      .map(({ name, schema }) => [name, asText(randomValue(random, schema))]),
  ).toString();
  const headers: Record<string, string> = {};
  for (const { $ref } of operation.parameters) {
    if ($ref?.endsWith('/IfMatch') && random() < 0.5) headers['If-Match'] = `"${Math.ceil(random() * 5)}"`;
    if ($ref?.endsWith('/IdempotencyKey')) headers['Idempotency-Key'] = uuid(random);
  }
  const [type, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  let body: string | undefined;
  if (media !== undefined && type !== undefined) {
    headers['Content-Type'] = type;
    const value = randomValue(random, media.schema);
    body = random() < WRONG / 3 ? '{"' : type === 'application/json' ? JSON.stringify(value) : asText(value);
  }
  return { operationId: operation.operationId, method, path: query === '' ? path : `${path}?${query}`, headers, body };
}
