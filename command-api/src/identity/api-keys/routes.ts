/** Routes of API keys for administrators: create, rotate and revoke. A secret is returned once. */

import { type ApiKeyEvent, ApiKeySecret, CreateApiKey, RotateApiKey, streams } from '@rdm/contracts';
import { idParam, type Route, route } from '@rdm/platform';
import type { z } from 'zod';
import { ChangeAnswer, withPosition } from '../../runtime/answer-schemas.ts';
import type { CommandAnswer } from '../../runtime/command-answer.ts';
import { commandRoutes } from '../../runtime/command-routes.ts';
import { type Commands, command } from '../../runtime/commands.ts';
import type { Execution } from '../../runtime/execution.ts';
import { type OutboxFact, outboxFact } from '../../runtime/outbox.ts';
import { createKey, revokeKey, rotateKey } from './decider.ts';
import { changeKey, endKey, replaceSecret, storeKey } from './vault.ts';

/** Answers can contain a secret, so only the id is stored: a repeated request returns only the id. */
const NOT_STORED = { keep: false };

const keyFact = (x: Execution, event: ApiKeyEvent, at: Date): OutboxFact =>
  outboxFact(x.meta, streams.apiKey(event.data.apiKeyId), event, at);

const answerOf = (status: number, id: number, key: string | undefined): CommandAnswer => ({
  status,
  body: { id, ...(key === undefined ? {} : { key }) },
});

const create = command<{ key: CreateApiKey }>(
  'CreateApiKey',
  async (x, { key: request }) => {
    const at = new Date();
    const access = await x.access.current();
    const event = createKey(access, await x.allocateOne('api_key_ids'), request, at);
    const secret = await storeKey(x.pool, event.data, x.actorId, keyFact(x, event, at));
    return answerOf(201, event.data.apiKeyId, secret);
  },
  NOT_STORED,
);

const rotate = command<{ id: number; body: z.infer<typeof RotateApiKey> }>(
  'RotateApiKey',
  async (x, { id, body }) => {
    const at = new Date();
    const secret = await changeKey(x.pool, id, (stored, client) => {
      const event = rotateKey(stored, body.overlapHours, at);
      return replaceSecret(client, id, event.data.overlapUntil, x.actorId, keyFact(x, event, at));
    });
    return answerOf(200, id, secret);
  },
  NOT_STORED,
);

const revoke = command<{ id: number }>(
  'RevokeApiKey',
  async (x, { id }) => {
    const at = new Date();
    await changeKey(x.pool, id, async (stored, client) => {
      const event = revokeKey(stored);
      if (event) await endKey(client, id, keyFact(x, event, at));
    });
    return { body: { id } };
  },
  NOT_STORED,
);

export function apiKeyRoutes(commands: Commands): Route[] {
  commands.register([create, rotate, revoke]);
  const administrator = { administrator: true } as const;
  const routes = commandRoutes(commands);
  return [
    route(
      'post',
      '/api/api-keys',
      administrator,
      {
        summary: 'Create an API key',
        example: { body: { name: 'Invoicing', scopes: [{ collectionId: 1, scope: 'translate' }] } },
        answers: { 201: withPosition(ApiKeySecret) },
        errors: ['NAME_TAKEN'],
        body: CreateApiKey,
      },
      (request) => commands.handle(create, request, { key: request.body }),
    ),
    routes.changeAnyRevision('post', '/api/api-keys/:id/rotate', administrator, RotateApiKey, rotate, {
      summary: 'Replace the secret of an API key',
      example: { body: { overlapHours: 24 } },
      answers: { 200: withPosition(ApiKeySecret) },
    }),
    route(
      'post',
      '/api/api-keys/:id/revoke',
      administrator,
      { summary: 'Revoke an API key', answers: { 200: ChangeAnswer } },
      (request) => commands.handle(revoke, request, { id: idParam(request) }),
    ),
  ];
}
