/** Tests the limit on the amount of text in a vocabulary. */
import { expect, it } from 'vitest';
import { memoryBytes } from '../../fixtures/memory-bytes.ts';
import { profileBytes } from '../../profile-file.ts';

const SKOS = '@prefix skos: <http://www.w3.org/2004/02/skos/core#> .';
const rdf = (content: string, doctype = '') =>
  `<?xml version="1.0"?>${doctype}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:skos="http://www.w3.org/2004/02/skos/core#">${content}</rdf:RDF>`;

it.each(['turtle', 'rdfxml'])(
  'refuses a vocabulary with more than 128 million characters of text, in %s',
  async (format) => {
    const long = 'x'.repeat(999);
    const labels = Array.from({ length: 45 }, () => '&a;'.repeat(3_000));
    const xml = rdf(
      `<skos:Concept rdf:about="http://x/a">${labels.map((label) => `<skos:prefLabel>${label}</skos:prefLabel>`).join('')}</skos:Concept>`,
      `<!DOCTYPE rdf:RDF [<!ENTITY a "${long}">]>`,
    );
    const iris = Array.from({ length: 140 }, (_, index) => `p:${index} a skos:Concept .`);
    const turtle = `${SKOS}\n@prefix p: <http://x/${'y'.repeat(1_000_000)}> .\n${iris.join('\n')}`;
    const content = format === 'turtle' ? turtle : xml;
    await expect(profileBytes(memoryBytes(content), {})).rejects.toThrow('more than 128 million characters');
  },
);
