import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { connectEventStore } from '../event-store/connect-event-store.ts';
import { StoreFull } from '../event-store/event-store.ts';
import { toRefusal } from './to-refusal.ts';

const Rows = z.union([
  z.object({ data: z.record(z.string(), z.string()) }),
  z.object({ rows: z.array(z.object({ data: z.record(z.string(), z.string()) })).max(2) }),
]);

function messageFor(schema: z.ZodType, value: unknown): string | undefined {
  const { error } = schema.safeParse(value);
  return toRefusal(error)?.message;
}

it('answers 503 while a disk is full', () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  for (const error of [new StoreFull('instances-1-0', undefined), full]) {
    expect(toRefusal(error)).toMatchObject({
      status: 503,
      message: expect.stringContaining('disk of the server is full'),
    });
  }
});

it('answers 503 while no node of an event store cluster is found', async () => {
  const store = connectEventStore('esdb://127.0.0.1:1,127.0.0.1:2?tls=false&maxDiscoverAttempts=1');
  const error = await store.head().catch((thrown: unknown) => thrown);
  expect(toRefusal(error)).toMatchObject({ status: 503, message: expect.stringContaining('is restarting') });
  await store.close();
});

describe('an invalid body', () => {
  it('is reported with the path and the problem of the most likely form', () => {
    const row = { data: { code: 'a' } };
    expect(messageFor(Rows, { rows: [row, row, row] })).toBe('rows must have at most 2 entries');
    expect(messageFor(Rows, { rows: [{ data: { code: 1 } }] })).toBe('rows.0.data.code must be text, not a number');
    expect(messageFor(Rows, { data: 7 })).toBe('data must be an object, not a number');
    expect(messageFor(Rows, undefined)).toBe('This request needs a JSON body');
  });

  it('is reported with the message of the schema, if the schema defines one', () => {
    expect(messageFor(z.object({ name: z.string({ error: 'Name is required' }) }), {})).toBe('Name is required');
    const email = z.object({ email: z.email('Invalid email format') });
    expect(messageFor(email, { email: 'nowhere' })).toBe('Invalid email format');
  });
});
