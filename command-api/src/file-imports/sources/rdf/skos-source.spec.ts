import { describe, expect, it } from 'vitest';
import { memoryBytes, readWhole } from '../fixtures/memory-bytes.ts';
import { profileBytes } from '../profile-file.ts';

const TURTLE = `# A vocabulary
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix ex: <http://example.com/v/> .
ex:scheme a skos:ConceptScheme ; skos:prefLabel "Sizes"@en ; skos:hasTopConcept ex:all .
ex:small skos:prefLabel "small"@en, "klein"@de, "kl." ; skos:notation "01", "S" ; skos:broader ex:all ; a skos:Concept .
ex:all a skos:Concept ; skos:notation "00" ; skos:definition "all; \\"of\\" them\\nhere"@en ; skos:narrower ex:large%20one .
ex:large%20one skos:prefLabel "groß"@de ; skos:broader <http://other.example/x> .
`;
const XML = `<?xml version="1.0" encoding="ISO-8859-1"?>
<!DOCTYPE rdf:RDF [ <!ENTITY ex "http://example.com/v/"> <!ENTITY skos "http://www.w3.org/2004/02/skos/core#"> ]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#" xml:base="http://example.com/v/x">
  <skos:ConceptScheme rdf:about="&ex;scheme"><skos:prefLabel xml:lang="en">Sizes</skos:prefLabel></skos:ConceptScheme>
  <skos:Concept rdf:about="small">
    <skos:prefLabel xml:lang="en">small</skos:prefLabel><skos:prefLabel xml:lang="de">klein</skos:prefLabel>
    <skos:prefLabel>kl.</skos:prefLabel><skos:notation>01</skos:notation><skos:notation>S</skos:notation>
    <skos:broader rdf:resource="&ex;all"/>
  </skos:Concept>
  <rdf:Description rdf:about="&ex;all">
    <rdf:type rdf:resource="&skos;Concept"/><skos:notation>00</skos:notation>
    <skos:definition xml:lang="en">all; "of" them
here</skos:definition>
    <skos:narrower><skos:Concept rdf:about="&ex;large%20one"><skos:prefLabel xml:lang="de">gro\xdf</skos:prefLabel>
      <skos:broader rdf:resource="http://other.example/x"/></skos:Concept></skos:narrower>
  </rdf:Description>
</rdf:RDF>
`;

describe.each([
  ['turtle', Buffer.from(TURTLE)],
  ['turtle', Buffer.from(`\ufeff${TURTLE}`)],
  ['rdfxml', Buffer.from(XML, 'latin1')],
  ['rdfxml', Buffer.from(`\ufeff${XML}`, 'utf16le')],
])('a vocabulary in %s', (format, content) => {
  it('has a record per concept, with its labels by language and the notations of broader concepts', async () => {
    const profile = await readWhole(content);
    expect(profile).toMatchObject({ format, records: 3, key: [0], questions: [] });
    expect(profile.columns.map(({ name, dataType }) => [name, dataType])).toEqual(
      [
        ...['notation', 'prefLabel', 'prefLabel (en)', 'prefLabel (de)', 'definition (en)', 'broader', 'iri'],
        'further notations',
      ].map((name) => [name, 'string']),
    );
    expect(profile.rows).toEqual([
      ['01', 'kl.', 'small', 'klein', '', '00', 'http://example.com/v/small', 'S'],
      ['00', '', '', '', 'all; "of" them\nhere', '', 'http://example.com/v/all', ''],
      ['large one', '', '', 'groß', '', '00; http://other.example/x', 'http://example.com/v/large%20one', ''],
    ]);
    expect(profile.preview[0]?.place).toBe('concept 1');
    expect(profile.notes).toEqual(['1 of the concepts have no notation: the end of the IRI replaces it.']);
  });
});

const SKOS = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .';
const rdf = (content: string, doctype = '') =>
  `<?xml version="1.0"?>${doctype}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">${content}</rdf:RDF>`;
const concept = (label: string) =>
  `<skos:Concept rdf:about="http://x/a"><skos:prefLabel>${label}</skos:prefLabel></skos:Concept>`;

describe('an entity', () => {
  it('is not expanded inside another entity', async () => {
    const doctype = '<!DOCTYPE rdf:RDF [<!ENTITY a "ten"><!ENTITY b "&a;&a;&a;">]>';
    expect((await readWhole(rdf(concept('&b;'), doctype))).rows).toEqual([['a', '&a;&a;&a;', 'http://x/a']]);
  });
  it.each([
    ['<!DOCTYPE rdf:RDF [<!ENTITY a SYSTEM "file:///etc/hostname">]>', 'The file is not valid RDF/XML: '],
    [
      `<!DOCTYPE rdf:RDF [<!ENTITY a "${'x'.repeat(1_001)}">]>`,
      'an entity or a base address of more than 1,000 characters',
    ],
  ])('that is external or long is refused', async (doctype, message) => {
    await expect(profileBytes(memoryBytes(rdf(concept('&a;'), doctype)), {})).rejects.toThrow(message);
  });
});

it.each([
  ['The file is not valid Turtle: ', `${SKOS}\n<http://x/a> a skos:Concept\n<http://x/b>`],
  ['The file is not valid Turtle: ', `${SKOS}\n<http://x/a> a skos:Concept ; skos:prefLabel "a`],
  ['The file has no concepts', `${SKOS}\n<http://x/a> a skos:ConceptScheme .`],
  ['nested more than 100 times', `${SKOS}\n<http://x/a> ${'skos:broader [ '.repeat(200)}`],
  ['The file is not valid RDF/XML: ', rdf('<skos:Concept rdf:about="http://x/a">')],
  ['The file is incomplete: upload it again.', rdf(concept('a')).slice(0, -20)],
  ['nested more than 100 times', rdf('<skos:a><skos:b>'.repeat(100)).slice(0, -10)],
  ['The file has bytes that are not UTF-8', Buffer.from(rdf(concept('gro\xdf')), 'latin1')],
])('refuses an invalid vocabulary: %s', async (message, content) => {
  await expect(profileBytes(memoryBytes(content), {})).rejects.toThrow(message);
});

it('reads characters that are split between pieces', async () => {
  const text = `${SKOS}\n<http://x/a> a skos:Concept ; skos:prefLabel "Größe 東京 🜁"@de .`;
  for (const size of [1, 2, 3, 5]) {
    const { preview } = await profileBytes(memoryBytes(text, size), {});
    expect(preview[0]?.cells).toEqual(['a', 'Größe 東京 🜁', 'http://x/a']);
  }
});
