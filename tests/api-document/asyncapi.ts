/** Composes the AsyncAPI document: the live channel of the pages, and the WebSocket of the change feed. */
import { ChangeEvent, ChangesQuery, JobMessage, LiveChange, SinceAnswer, STREAM_ENDS } from '@rdm/contracts';
import type { ClientMessages, ServerMessages } from '@rdm/contracts/live/live';
import { z } from 'zod';
import { AnswerSchemas, inputSchema, type JsonSchema } from './schemas.ts';

const NO_PAYLOAD = z.object({});
const Room = z
  .string()
  .describe('Such as `data-set:3`, `crosswalk:3`, `job:3`, `approvals`, `types` or `collections`.');

interface Message {
  summary: string;
  payload: z.ZodType;
  /** The schema of the receiver's answer, if there is one. */
  reply?: z.ZodType;
}

/** The messages that the server sends: one entry for each message that the types of the live channel declare. */
const SENT: Record<keyof ServerMessages, Message> = {
  change: { summary: 'Something in a joined room changed: what, never the data', payload: LiveChange },
  job: { summary: 'A job made progress', payload: JobMessage },
  presence: {
    summary: 'Other users joined or left a room',
    payload: z.object({ room: Room, userIds: z.array(z.number()) }),
  },
  session: { summary: 'The session has ended', payload: z.object({ ended: z.literal(true) }) },
  access: {
    summary: 'The levels of the user changed: read them again',
    payload: z.object({ collectionId: z.number().nullable() }),
  },
  notified: { summary: 'The notifications of the user changed: read them again', payload: NO_PAYLOAD },
};

const RECEIVED: Record<keyof ClientMessages, Message> = {
  join: {
    summary: 'Join a room; the server checks the grants of the user',
    payload: Room,
    reply: z.union([
      z.object({ ok: z.literal(true), seq: z.number() }),
      z.object({ ok: z.literal(false), error: z.string() }),
    ]),
  },
  leave: { summary: 'Leave a room', payload: Room },
  since: {
    summary: 'Request the changes after a number',
    payload: z.number().describe('The `seq` of the last received change.'),
    reply: SinceAnswer,
  },
};

const CLOSE_CODES = Object.values(STREAM_ENDS)
  .map(({ closeCode, message }) => `${closeCode}: ${message}.`)
  .join(' ');

export function asyncApiOf(): JsonSchema {
  const schemas = new AnswerSchemas();
  const messages: Record<string, JsonSchema> = {};
  const addMessage = (name: string, summary: string, payload: z.ZodType) => {
    messages[name] = { name, summary, payload: schemas.add(`${name}Payload`, payload) };
    return { $ref: `#/components/messages/${name}` };
  };
  const live: Record<string, JsonSchema> = {};
  const operations: Record<string, JsonSchema> = {};
  const LIVE = '#/channels/live';
  const addOperations = (action: 'send' | 'receive', all: Record<string, Message>) => {
    for (const [name, { summary, payload, reply }] of Object.entries(all)) {
      live[name] = addMessage(name, summary, payload);
      if (reply) live[`${name}Reply`] = addMessage(`${name}Reply`, `The answer to \`${name}\``, reply);
      operations[name] = {
        action,
        summary,
        channel: { $ref: LIVE },
        messages: [{ $ref: `${LIVE}/messages/${name}` }],
        ...(reply && {
          reply: { channel: { $ref: LIVE }, messages: [{ $ref: `${LIVE}/messages/${name}Reply` }] },
        }),
      };
    }
  };
  addOperations('send', SENT);
  addOperations('receive', RECEIVED);
  operations['sendChangeEvent'] = {
    action: 'send',
    summary: 'A change that the reader may receive, as a CloudEvent',
    channel: { $ref: '#/channels/changes' },
    messages: [{ $ref: '#/channels/changes/messages/changeEvent' }],
  };
  const changes = { changeEvent: addMessage('changeEvent', 'One change as a CloudEvent', ChangeEvent) };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Reference data management: live channel and change feed',
      version: '1',
      description:
        'The actions are those of the server: it sends what clients receive. The same changes are read by HTTP at /api/changes and, as server-sent events, at /api/changes/stream.',
    },
    defaultContentType: 'application/json',
    channels: {
      live: {
        address: '/socket.io/',
        title: 'Live channel',
        description:
          'Socket.io (Engine.IO 4). The session cookie signs in. Each message is a socket.io event of its name; replies are acknowledgements.',
        messages: live,
      },
      changes: {
        address: '/api/changes/ws',
        title: 'Change feed',
        description: `A WebSocket that resumes after the last received change. An API key or the session cookie signs in. A change of another log, or after the end of this one, is refused with 410 before the WebSocket opens. Close codes: ${CLOSE_CODES}`,
        messages: changes,
        bindings: { ws: { method: 'GET', query: inputSchema(ChangesQuery) } },
      },
    },
    operations,
    components: { messages, schemas: schemas.components() },
  };
}
