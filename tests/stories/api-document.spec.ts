/** Checks the API documents: published validators accept them, and the callers they name are those of the permission table. */
import { createRequire } from 'node:module';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { type ApiDocument, apiDocument, operationAt } from '../api-document/answer-check.ts';
import { HttpClient } from './http-client.ts';
import { ROWS } from './permissions/table.ts';

const asyncApiSchema = createRequire(import.meta.url)('@asyncapi/specs/schemas/3.0.0-without-$id.json');

describe('the API documents', () => {
  const anonymous = () => new HttpClient();

  it('are valid OpenAPI 3.1 and AsyncAPI 3, served without sign-in', async () => {
    const openApi = await anonymous().get('/api/openapi.json');
    const { valid, errors } = await new Validator().validate(openApi.body);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(openApi.body).toEqual(apiDocument);
    const asyncApi = await anonymous().get('/api/asyncapi.json');
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(asyncApiSchema);
    expect([validate(asyncApi.body), validate.errors]).toEqual([true, null]);
    expect(asyncApi.body.asyncapi).toBe('3.0.0');
  });

  it('describe every route that a caller can reach, and no other', () => {
    const documented = Object.entries((apiDocument as ApiDocument).paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    const routes = ROWS.map(({ route }) => route.replace('/api/okta-login', '/api/:provider-login')).filter(
      (route) => !route.includes(' /internal/'),
    );
    expect(documented.sort()).toEqual([...new Set(routes)].sort());
  });

  it('have an example for every body and every required parameter', () => {
    const missing = Object.values((apiDocument as ApiDocument).paths).flatMap((operations) =>
      Object.values(operations).flatMap(({ operationId, parameters, requestBody }) => {
        const media = requestBody?.content['application/json'];
        const isUpload = Object.keys(requestBody?.content ?? {}).some((type) => type !== 'application/json');
        const without = parameters.filter(({ required, example }) => required && example === undefined);
        return without.length > 0 || (media && !isUpload && media.example === undefined) ? [operationId] : [];
      }),
    );
    expect(missing).toEqual([]);
  });

  it('name API keys as callers where the permission table lets one in', () => {
    const keys = ['key-read', 'key-translate', 'key-write'] as const;
    const wrong = ROWS.filter(({ route }) => !route.includes(' /internal/')).flatMap(({ name, route, cells }) => {
      const [method = '', path = ''] = route.replace('/api/okta-login', '/api/{provider}-login').split(' ');
      const operation = operationAt(method, path);
      const isPublic = operation?.security.length === 0;
      const accepts = operation?.security.some((scheme) => 'bearer' in scheme);
      const isRefused = keys.every((key) => cells[key].status === 403 || cells[key].shows === false);
      const isReached = keys.some((key) => cells[key].status < 400 || [404, 409].includes(cells[key].status));
      const isWrong = accepts ? !isReached : !isRefused && keys.some((key) => cells[key].status < 400);
      return isPublic || !isWrong || name.includes('#') ? [] : [name];
    });
    expect(wrong).toEqual([]);
  });
});
