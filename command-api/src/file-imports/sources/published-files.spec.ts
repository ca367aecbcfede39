import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readWhole } from './fixtures/memory-bytes.ts';

const published = (name: string) => readFileSync(new URL(`fixtures/published/${name}`, import.meta.url));

const read = async (name: string) => {
  const { columns, rows, key, label, questions } = await readWhole(published(name));
  const names = columns.map((column) => column.name);
  const idOf = (index: number | null | undefined) => (typeof index === 'number' ? names[index] : undefined);
  expect(questions).toEqual([]);
  return { names, rows, key: key?.map(idOf), label: idOf(label) };
};

describe('a published file is read with the rows that it contains:', () => {
  it('the CodeSystem publication-status of HL7', async () => {
    const { concept: concepts } = JSON.parse(published('CodeSystem-publication-status.json').toString());
    const inLanguages = (designations: { language: string; value: string }[] = []) =>
      ['ru', 'nl'].map((language) => designations.find((each) => each.language === language)?.value ?? '');
    const { names, rows, key, label } = await read('CodeSystem-publication-status.json');
    expect(names).toEqual(['code', 'display', 'definition', 'display (ru)', 'display (nl)']);
    expect({ key, label }).toEqual({ key: ['code'], label: 'display' });
    expect(rows).toHaveLength(4);
    for (const [index, { code, display, definition, designation }] of concepts.entries()) {
      expect(rows[index]).toEqual([code, display, definition, ...inLanguages(designation)]);
    }
  });

  it('the levels of education of the DINI-AG-KIM', async () => {
    const { names, rows, key, label } = await read('educationalLevel.ttl');
    expect(names.slice(0, 3)).toEqual(['notation', 'prefLabel (en)', 'prefLabel (de)']);
    expect({ key, label }).toEqual({ key: ['notation'], label: 'prefLabel (en)' });
    const levels = ['0', '1', '2', '3', '4', '5', '6', '7', '8', 'A', 'B', 'C'];
    expect(rows.map(([notation]) => notation).toSorted()).toEqual(levels.map((level) => `level_${level}`));
    const broader = names.indexOf('broader');
    expect(rows.filter((row) => row[broader] === 'level_A').map(([notation]) => notation)).toEqual(
      ['6', '7', '8'].map((level) => `level_${level}`),
    );
    expect(rows[2]?.slice(0, 3)).toEqual(['level_2', 'Lower secondary education', 'Sekundarbereich I']);
    expect(rows[2]?.at(-1)).toBe('https://w3id.org/kim/educationalLevel/level_2');
  });

  it('the protocols of mobilityDCAT-AP, the same in Turtle and RDF/XML', async () => {
    const [turtle, xml] = await Promise.all(
      ['ttl', 'rdf'].map((extension) => read(`application-layer-protocol.${extension}`)),
    );
    expect(turtle?.names).toEqual(['notation', 'prefLabel (en)', 'definition (en)', 'iri']);
    expect(xml?.names).toEqual(turtle?.names);
    expect(xml?.rows.toSorted()).toEqual(turtle?.rows.toSorted());
    expect(turtle?.rows).toHaveLength(10);
    expect(turtle?.rows).toContainEqual([
      ...['http-https', 'HTTP HTTPS', 'HTTP/HTTPS'],
      'https://w3id.org/mobilitydcat-ap/application-layer-protocol/http-https',
    ]);
  });
});
