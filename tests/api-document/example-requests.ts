/** The requests of the examples in the OpenAPI document. */
import type { Documented, RandomRequest } from './random-requests.ts';

/** The example of an operation; undefined for one that uploads a file. */
export function exampleRequest({ method, template, operation }: Documented): RandomRequest | undefined {
  const { operationId, parameters, requestBody } = operation;
  const given = parameters.filter(({ example }) => example !== undefined);
  const path = given
    .filter((each) => each.in === 'path')
    .reduce((text, { name, example }) => text.replace(`{${name}}`, String(example)), template);
  const query = new URLSearchParams(
    given.filter((each) => each.in === 'query').map(({ name, example }) => [name, String(example)]),
  ).toString();
  const media = requestBody?.content['application/json'];
  if (requestBody !== undefined && media?.example === undefined) return undefined;
  return {
    operationId,
    method,
    path: query === '' ? path : `${path}?${query}`,
    headers: media === undefined ? {} : { 'Content-Type': 'application/json' },
    body: media === undefined ? undefined : JSON.stringify(media.example),
  };
}

/** Whether an API key may send it, by the document. */
export const acceptsKey = ({ operation }: Documented): boolean =>
  operation.security.some((scheme) => 'bearer' in scheme);
