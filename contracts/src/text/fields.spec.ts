/** Specifies which names and reasons are accepted. */
import { describe, expect, it } from 'vitest';
import { Name, Reason } from './fields.ts';

const messagesOf = (name: unknown): string[] =>
  Name('A name is required')
    .safeParse(name)
    .error?.issues.map(({ message }) => message) ?? [];

describe('a name', () => {
  it.each(['Länder & Gebiete', '通貨', 'کدهای\u200cملی', '👩‍👩‍👧', '<b>', "Robert'); --"])('may be %j', (name) =>
    expect(messagesOf(name)).toEqual([]),
  );
  it.each([undefined, '', '  ', '\u200b', '\ufeff\u00ad'])('must not be %j, which has no visible character', (name) =>
    expect(messagesOf(name)).toEqual(['A name is required']),
  );
  it.each(['two\nlines', 'a\u2028b', 'bell\u0007', '\u202eseirtnuoC'])(
    'must not be %j, which contains a line break, a control character or a bidirectional override',
    (name) => expect(messagesOf(name)).toEqual(['A name must be one line of visible characters']),
  );
  it('has at most 200 characters', () => {
    expect(messagesOf('x'.repeat(200))).toEqual([]);
    expect(messagesOf('x'.repeat(201))).toEqual(['Use at most 200 characters']);
  });
});

describe('a reason', () => {
  const reasonMessages = (reason: unknown) =>
    Reason.safeParse(reason).error?.issues.map(({ message }) => message) ?? [];
  it('is required, and has a maximum length', () => {
    expect(reasonMessages(undefined)).toEqual(['A reason is required']);
    expect(reasonMessages('  ')).toEqual(['A reason is required']);
    expect(reasonMessages('x'.repeat(4_001))).toEqual(['Use at most 4,000 characters']);
  });
});
