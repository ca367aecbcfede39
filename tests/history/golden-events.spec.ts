/** Stored events remain readable: every type and version has a golden event, in the form in which the log stores it. */
import { readFileSync } from 'node:fs';
import { definitionOf, eventsByCategory, upcast } from '@rdm/contracts';
import { describe, expect, it } from 'vitest';

/** Golden events by type and version, such as `UserRegistered@1`. */
type GoldenEvents = Record<string, unknown>;

const readGoldenEvents = (category: string): GoldenEvents =>
  JSON.parse(readFileSync(new URL(`./${category}.json`, import.meta.url), 'utf8'));

describe.each(Object.entries(eventsByCategory))('events of %s', (category, definitions) => {
  const goldenEvents = readGoldenEvents(category);

  it('have a golden event for every type and version', () => {
    const expected = Object.entries(definitions).flatMap(([type, { version }]) =>
      Array.from({ length: version }, (_, index) => `${type}@${index + 1}`),
    );
    expect(Object.keys(goldenEvents).sort()).toEqual(expected.sort());
  });

  it.each(Object.entries(goldenEvents))('%s is converted to a valid event of the current version', (name, data) => {
    const [type = '', version] = name.split('@');
    const current = upcast(type, Number(version), data);
    const definition = definitionOf(type);
    expect(definition.schema.parse(current)).toEqual(current);
    if (Number(version) === definition.version) expect(current).toEqual(data);
  });

  it.each(Object.keys(definitions))('%s is refused in a version that does not exist yet', (type) => {
    expect(() => upcast(type, definitionOf(type).version + 1, {})).toThrow(/upgrade/);
  });
});
