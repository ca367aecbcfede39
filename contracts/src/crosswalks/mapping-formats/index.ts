/** Detects the format of a file with mappings, and reads the file. */

import { Refusal } from '../../refusal.ts';
import { parseJson } from '../../text/json-text.ts';
import { normaliseText } from '../../text/text.ts';
import { MAPPING_FILE_CHARACTERS_MAX, type MappingFormat } from '../mapping-exchange.ts';
import { isConceptMap, readConceptMap } from './concept-map.ts';
import { csvReader } from './csv.ts';
import type { MappingReader, NamedValue, ReadMapping } from './exchanged-mapping.ts';
import { readJson } from './json.ts';
import { isSssom, sssomReader } from './sssom.ts';

export { conceptMap } from './concept-map.ts';
export type {
  ExchangedCrosswalk,
  ExchangedMapping,
  Format,
  MappingReader,
  NamedValue,
  ReadMapping,
} from './exchanged-mapping.ts';
export { sssom } from './sssom.ts';

const normalisedValue = ({ value, local }: NamedValue): NamedValue => ({
  value: normaliseText(value),
  ...(local === undefined ? {} : { local: normaliseText(local) }),
});

/** The format is detected from this many characters at the beginning of a file. */
const HEAD_CHARACTERS = 32 * 1024;

export interface AnyReader extends MappingReader {
  /** The given or detected format. It is final only after the last call of `push`. */
  format(): MappingFormat;
}

/** Returns a reader that normalises the values. Without a given format, the reader detects the format. */
export function mappingReader(givenFormat?: MappingFormat): AnyReader {
  let reader: AnyReader | undefined;
  let beginning = '';
  return {
    *push(text, last) {
      if (reader) return yield* withNormalisedValues(reader.push(text, last));
      beginning += text;
      if (!last && beginning.length < HEAD_CHARACTERS) return;
      const head = beginning.replace(/^\uFEFF/, '');
      beginning = '';
      reader = readerOf(givenFormat ?? formatOf(head));
      yield* withNormalisedValues(reader.push(head, last));
    },
    remarks: () => reader?.remarks() ?? [],
    head: () => reader?.head(),
    format: () => reader?.format() ?? 'csv',
  };
}

function* withNormalisedValues(mappings: Iterable<ReadMapping>): Generator<ReadMapping> {
  for (const mapping of mappings) {
    yield { ...mapping, source: normalisedValue(mapping.source), target: normalisedValue(mapping.target) };
  }
}

/** Reads the mappings of a complete text. */
export function readMappings(content: string, givenFormat?: MappingFormat) {
  const reader = mappingReader(givenFormat);
  const mappings = [...reader.push(content, true)];
  return { mappings, remarks: reader.remarks(), format: reader.format() };
}

function readerOf(format: MappingFormat | 'unknown json'): AnyReader {
  if (format === 'csv') return { ...csvReader(), format: () => format };
  if (format === 'sssom') return { ...sssomReader(), format: () => format };
  return documentReader(format);
}

/** Collects the pieces of a JSON document, and parses the document after the last piece. */
function documentReader(givenFormat: 'json' | 'conceptmap' | 'unknown json'): AnyReader {
  const parts: string[] = [];
  let characters = 0;
  let remarks: string[] = [];
  let format: MappingFormat = givenFormat === 'conceptmap' ? givenFormat : 'json';
  return {
    push(text, last) {
      characters += text.length;
      if (characters > MAPPING_FILE_CHARACTERS_MAX) {
        throw new Refusal(
          'TOO_LARGE',
          'The document is too large to be read as a whole: import it in parts, or as CSV',
        );
      }
      parts.push(text);
      if (!last) return [];
      const document = parseJson(parts.splice(0).join(''));
      if (givenFormat === 'unknown json' && isConceptMap(document)) format = 'conceptmap';
      if (format === 'json') return readJson(document);
      const read = readConceptMap(document);
      remarks = read.remarks;
      return read.mappings;
    },
    remarks: () => remarks,
    head: () => undefined,
    format: () => format,
  };
}

function formatOf(text: string): 'csv' | 'sssom' | 'unknown json' {
  if (/^\s*[[{]/.test(text)) return 'unknown json';
  return isSssom(text) ? 'sssom' : 'csv';
}
