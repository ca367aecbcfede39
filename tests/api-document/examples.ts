/** Adds examples to the operation of a route: shell commands, and the operations that return the example values. */
import type { Route, RouteExample, ValueSource } from '@rdm/platform';
import type { JsonSchema } from './schemas.ts';

/** The parts of an operation that its examples depend on. */
export interface ExampleParts {
  security: JsonSchema[];
  parameters: (JsonSchema & { name?: string; in?: string; example?: unknown })[];
  requestBody?: { content: Record<string, { schema: JsonSchema; example?: unknown }>; required?: boolean };
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Returns the curl options of a form. A file comes last, as a here-document, so that no file needs to exist. */
function formOf(schema: JsonSchema, body: Readonly<Record<string, unknown>>): string[] {
  const properties = schema['properties'] as Record<string, JsonSchema>;
  const isFile = (name: string) => properties[name]?.['contentMediaType'] !== undefined;
  const names = Object.keys(body).sort((a, b) => Number(isFile(a)) - Number(isFile(b)));
  return names.map((name) =>
    isFile(name)
      ? `-F '${name}=@-;filename=rows.csv' <<'END'\n${body[name]}END`
      : `-F ${quoted(`${name}=${body[name]}`)}`,
  );
}

function bodyOf({ requestBody }: ExampleParts, body: unknown): string[] {
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (type === undefined || media === undefined || body === undefined) return [];
  if (type === 'multipart/form-data') return formOf(media.schema, body as Record<string, unknown>);
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return [`-H 'Content-Type: ${type}'`, `-d ${quoted(text)}`];
}

/** Returns the command of an example. `$ORIGIN`, `$API_KEY` and `$SESSION` are variables of the shell. */
function commandOf({ method, path }: { method: string; path: string }, parts: ExampleParts, body: unknown): string {
  const { parameters, security } = parts;
  const parametersWithExample = parameters.filter(({ example }) => example !== undefined);
  const examplePath = parametersWithExample
    .filter((each) => each.in === 'path')
    .reduce((address, { name, example }) => address.replace(`{${name}}`, encodeURIComponent(String(example))), path);
  const query = new URLSearchParams(
    parametersWithExample
      .filter((each) => each.in === 'query')
      .map(({ name = '', example }) => [name, String(example)]),
  ).toString();
  const acceptsKey = security.some((scheme) => 'bearer' in scheme);
  const credentials = acceptsKey ? '-H "Authorization: Bearer $API_KEY"' : '--cookie "session=$SESSION"';
  return [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$ORIGIN${examplePath}${query === '' ? '' : `?${query}`}"`,
    ...(security.length === 0 ? [] : [credentials]),
    ...(acceptsKey || method === 'get' ? [] : ['-H "Origin: $ORIGIN"']),
    ...bodyOf(parts, body),
  ].join(' \\\n  ');
}

const sentenceOf = ([name, { operation, example, property }]: [string, ValueSource]): string =>
  `In the example, \`${name}\` is the \`${property}\` in the answer of \`${operation}\`${example === undefined ? '' : ` (${example})`}.`;

export function withExamples({ method, document }: Route, path: string, parts: ExampleParts): JsonSchema {
  const { example = {}, moreExamples = {} } = document;
  const sampleOf = (label: string, { body }: RouteExample) => ({
    lang: 'Shell',
    label,
    source: commandOf({ method, path }, parts, body),
  });
  const sources = Object.entries(example.from ?? {});
  return {
    ...(sources.length === 0
      ? {}
      : { description: sources.map(sentenceOf).join(' '), 'x-example-values': example.from }),
    ...parts,
    'x-codeSamples': [
      sampleOf('curl', example),
      ...Object.entries(moreExamples).map(([label, each]) => sampleOf(label, each)),
    ],
  };
}
