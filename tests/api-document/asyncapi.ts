/** Composes the AsyncAPI document: the live channel of the pages, and the WebSocket of the change feed. */
import { ChangeEvent, ChangesQuery, JobMessage, LiveChange, SinceAnswer, STREAM_ENDS } from '@rdm/contracts';
import type { ClientMessages, ServerMessages } from '@rdm/contracts/live/live';
import { z } from 'zod';
import { AnswerSchemas, inputSchema, type JsonSchema } from './schemas.ts';

const NO_PAYLOAD = z.object({});
const Room = z
  .string()
  .describe(
    'The name of a room, such as `data-set:3`, `crosswalk:3`, `job:3`, `approvals`, `types`, `collections`, `crosswalks` or `relationships`.',
  );

interface Message {
  summary: string;
  payload: z.ZodType;
  /** The schema of the receiver's answer, if there is one. */
  reply?: z.ZodType;
}

/** The messages that the server sends. The type requires an entry for each message that the live channel declares. */
const SERVER_MESSAGES: Record<keyof ServerMessages, Message> = {
  change: {
    summary: 'An entity in a joined room changed: its id and the kind of change, never its data',
    payload: LiveChange,
  },
  job: { summary: 'A job made progress', payload: JobMessage },
  presence: {
    summary: 'The users in a joined room changed: the ids of all users in it',
    payload: z.object({ room: Room, userIds: z.array(z.number()) }),
  },
  session: { summary: 'The session has ended', payload: z.object({ ended: z.literal(true) }) },
  access: {
    summary: 'The access of the user changed: the client has to read it again',
    payload: z.object({ collectionId: z.number().nullable() }),
  },
  notified: {
    summary: 'The notifications of the user changed: the client has to read them again',
    payload: NO_PAYLOAD,
  },
};

/** The messages that the server receives. */
const CLIENT_MESSAGES: Record<keyof ClientMessages, Message> = {
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
    summary: 'Request the changes after a `seq`',
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
  const liveMessages: Record<string, JsonSchema> = {};
  const operations: Record<string, JsonSchema> = {};
  const LIVE = '#/channels/live';
  const addOperations = (action: 'send' | 'receive', all: Record<string, Message>) => {
    for (const [name, { summary, payload, reply }] of Object.entries(all)) {
      liveMessages[name] = addMessage(name, summary, payload);
      if (reply) liveMessages[`${name}Reply`] = addMessage(`${name}Reply`, `The answer to \`${name}\``, reply);
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
  addOperations('send', SERVER_MESSAGES);
  addOperations('receive', CLIENT_MESSAGES);
  operations['sendChangeEvent'] = {
    action: 'send',
    summary: 'A change that the client may read, as a CloudEvent',
    channel: { $ref: '#/channels/changes' },
    messages: [{ $ref: '#/channels/changes/messages/changeEvent' }],
  };
  const changeMessages = { changeEvent: addMessage('changeEvent', 'One change as a CloudEvent', ChangeEvent) };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Reference data management: live channel and change feed',
      version: '1',
      description:
        'The actions are those of the server: clients receive the messages that it sends. Clients can also read the change feed with GET /api/changes and, as server-sent events, with GET /api/changes/stream.',
    },
    defaultContentType: 'application/json',
    channels: {
      live: {
        address: '/socket.io/',
        title: 'Live channel',
        description:
          'Socket.io (Engine.IO 4). The session cookie authenticates the client. Each message is a socket.io event with the same name; replies are acknowledgements.',
        messages: liveMessages,
      },
      changes: {
        address: '/api/changes/ws',
        title: 'Change feed',
        description: `A WebSocket that sends the changes after the change that \`after\` names. An API key or the session cookie authenticates the client. If this change belongs to another log, or is after the end of the log, the request is refused with 410 before the WebSocket opens. Close codes: ${CLOSE_CODES}`,
        messages: changeMessages,
        bindings: { ws: { method: 'GET', query: inputSchema(ChangesQuery) } },
      },
    },
    operations,
    components: { messages, schemas: schemas.components() },
  };
}
