/** Reads a SKOS vocabulary in Turtle or RDF/XML into one record per concept. */
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type ReadOptions, Refusal } from '@rdm/contracts';
import { evidentEncoding } from '../encoding-detection.ts';
import { JsonColumns } from '../json/json-records.ts';
import type { FileBytes, RecordBatch, Source, SourceRecord } from '../source.ts';
import { isKnownEncoding, transcoderOf } from '../text-transcoder.ts';
import { Concepts } from './concepts.ts';
import { type RdfFormat, readStatements } from './statements.ts';

const BYTES_MAX = 64 * 1024 * 1024;
const BATCH_RECORDS = 1_000;
const COMMENTS = /^\ufeff?(?:\s*#.*\n)*\s*/;
/** Matches a text that begins with a directive or a statement about an IRI. */
const TURTLE = /^(?:@(?:prefix|base)\s|(?:prefix\s+[\w.-]*:|base)\s*<|<[^<>\s]+>\s+(?:<[^<>\s]+>|a)\s)/i;
const XML = /^\s*<(?:\?xml\s|!--|!DOCTYPE\s+(?!html)|[\w.-]+:\w+[\s>])/i;
const RDF_NAMESPACE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const XML_ENCODING = /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/i;

const textOf = (head: Buffer): string => transcoderOf(evidentEncoding(head) ?? 'utf-8')(head).toString('latin1');

/** The format of a text that begins like RDF; undefined for other texts. */
export function rdfFormat(head: Buffer): RdfFormat | undefined {
  const text = textOf(head);
  if (XML.test(text) && text.includes(RDF_NAMESPACE) && !/<html[\s>]/i.test(text)) return 'rdfxml';
  return TURTLE.test(text.replace(COMMENTS, '')) ? 'turtle' : undefined;
}

/** Reads the whole file, because statements about a concept can be anywhere in it. */
export async function openSkos(file: FileBytes, format: RdfFormat, options: ReadOptions): Promise<Source> {
  if (file.size > BYTES_MAX) throw new Refusal('TOO_LARGE', 'An RDF file may have at most 64 MiB.');
  const head = await file.range(0, 1024);
  const declaredEncoding = XML_ENCODING.exec(textOf(head))?.[1]?.toLowerCase();
  const encoding =
    options.encoding ??
    evidentEncoding(head) ??
    (declaredEncoding && isKnownEncoding(declaredEncoding) ? declaredEncoding : undefined) ??
    'utf-8';
  const concepts = new Concepts();
  await readStatements(file, format, encoding, (statement) => concepts.add(statement));
  const { concepts: total, columns: propertyNames, withoutNotation } = concepts.end();
  if (total === 0) {
    throw new Refusal('INVALID', 'The file has no concepts: only vocabularies of skos:Concept can be imported.');
  }
  return {
    format,
    read: { ...options, encoding, headerRow: 0 },
    sheets: [],
    questions: [],
    notes: withoutNotation === 0 ? [] : [noteOf(withoutNotation, total)],
    isTyped: true,
    propertyNames,
    async *records(): AsyncGenerator<RecordBatch> {
      const columns = new JsonColumns(propertyNames);
      let [records, line]: [SourceRecord[], number] = [[], 0];
      const batch = () => ({ records, bytes: Math.floor((file.size * line) / total) });
      for (const cells of concepts.rows()) {
        line += 1;
        records.push(columns.recordOf(line, '', cells));
        if (records.length < BATCH_RECORDS) continue;
        yield batch();
        records = [];
        await yieldToEventLoop();
      }
      yield batch();
    },
  };
}

function noteOf(count: number, total: number): string {
  const subject = count === total ? 'The concepts have' : `${count.toLocaleString('en')} of the concepts have`;
  return `${subject} no notation: the end of the IRI replaces it.`;
}
