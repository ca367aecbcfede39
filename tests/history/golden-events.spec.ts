/**
 * Stored events stay readable: for every type and version there is a golden event, in the form in which the log stores
 * it.
 */
import { readFileSync } from 'node:fs';
import { definitionOf, eventsByCategory, upcast } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';

type Golden = Record<string, unknown>;

const golden = (category: string): Golden =>
  JSON.parse(readFileSync(new URL(`./${category}.json`, import.meta.url), 'utf8'));

describe.each(Object.entries(eventsByCategory))('events of %s', (category, definitions) => {
  const goldenEvents = golden(category);

  it('have a golden event for every type and version', () => {
    const expected = Object.entries(definitions).flatMap(([type, { version }]) =>
      Array.from({ length: version }, (_, before) => `${type}@${before + 1}`),
    );
    expect(Object.keys(goldenEvents).sort()).toEqual(expected.sort());
  });

  it.each(Object.entries(goldenEvents))('%s is read in the current shape without loss', (name, data) => {
    const [type = '', version] = name.split('@');
    const upcasted = upcast(type, Number(version), data);
    const definition = definitionOf(type);
    expect(definition.schema.parse(upcasted)).toEqual(upcasted);
    if (Number(version) === definition.version) expect(upcasted).toEqual(data);
  });

  it.each(Object.keys(definitions))('%s of a later version is refused', (type) => {
    expect(() => upcast(type, definitionOf(type).version + 1, {})).toThrow(/upgrade/);
  });
});
