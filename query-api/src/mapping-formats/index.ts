/** The formats that mappings are exchanged in: which one a file is, and how each is read. */
import { type MappingFormat, normaliseText } from '@rdm/contracts';
import { isConceptMap, readConceptMap } from './concept-map.ts';
import { readCsv } from './csv.ts';
import type { NamedValue, ReadMappings } from './exchanged.ts';
import { parseJson, readJson } from './json.ts';
import { isSssom, readSssom } from './sssom.ts';

export { conceptMap } from './concept-map.ts';
export type { ExchangedMapping, NamedValue, ReadMapping } from './exchanged.ts';
export { sssom } from './sssom.ts';

const spelled = ({ value, local }: NamedValue): NamedValue => ({
  value: normaliseText(value),
  ...(local === undefined ? {} : { local: normaliseText(local) }),
});

/** Reads a file in the format that was named, or in the one that its beginning shows; its values are spelled as mappings are. */
export function readMappings(content: string, named?: MappingFormat): ReadMappings & { format: MappingFormat } {
  const { mappings, ...read } = readAsWritten(content, named);
  return {
    ...read,
    mappings: mappings.map((mapping) => ({
      ...mapping,
      source: spelled(mapping.source),
      target: spelled(mapping.target),
    })),
  };
}

function readAsWritten(content: string, named?: MappingFormat): ReadMappings & { format: MappingFormat } {
  const text = content.replace(/^\uFEFF/, '');
  const format = named ?? formatOf(text);
  switch (format) {
    case 'csv':
      return { format, ...readCsv(text) };
    case 'sssom':
      return { format, ...readSssom(text) };
    case 'json':
      return { format, ...readJson(parseJson(text)) };
    case 'conceptmap':
      return { format, ...readConceptMap(parseJson(text)) };
    case 'unknown json': {
      const document = parseJson(text);
      return isConceptMap(document)
        ? { format: 'conceptmap', ...readConceptMap(document) }
        : { format: 'json', ...readJson(document) };
    }
  }
}

function formatOf(text: string): 'csv' | 'sssom' | 'unknown json' {
  if (/^\s*[[{]/.test(text)) return 'unknown json';
  return isSssom(text) ? 'sssom' : 'csv';
}
