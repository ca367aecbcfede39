/** Detects the format of a file from its content, and opens the file with the reader of this format. */
import { type ReadOptions, Refusal } from '@rdm/contracts';
import { openFhir } from './json/fhir-source.ts';
import { jsonFormat, openJson } from './json/json-source.ts';
import { isParquet, openParquet } from './parquet/parquet-source.ts';
import { openSkos, rdfFormat } from './rdf/skos-source.ts';
import type { FileBytes, Source } from './source.ts';
import { openText } from './text-source.ts';
import { openWorkbook } from './xlsx/workbook.ts';
import { encryptedWorkbookRefusal } from './xlsx/zip-parts.ts';

const HEAD_BYTES = 64 * 1024;
const CHECKED_TEXT_BYTES = 1_000;
const ZIP = Buffer.from('PK\x03\x04', 'latin1');
const EMPTY_ZIP = Buffer.from('PK\x05\x06', 'latin1');
const COMPOUND_FILE = Buffer.from('d0cf11e0a1b11ae1', 'hex');
/** In a compound file, the name of the stream that contains an encrypted workbook. */
const ENCRYPTED_STREAM = Buffer.from('EncryptedPackage', 'utf16le');

/** Opens a file. Throws if the file cannot be read as a table. */
export async function openSource(file: FileBytes, options: ReadOptions): Promise<Source> {
  if (file.size === 0) throw new Refusal('INVALID', 'The file is empty.');
  const head = await file.range(0, HEAD_BYTES);
  const begins = (signature: Buffer) => head.subarray(0, signature.length).equals(signature);
  if (begins(ZIP) || begins(EMPTY_ZIP)) return openWorkbook(file, options);
  if (isParquet(head)) return openParquet(file, options);
  if (begins(COMPOUND_FILE)) throw await compoundFileRefusal(file);
  const rdf = rdfFormat(head);
  if (rdf) return openSkos(file, rdf, options);
  requireTable(head);
  const format = jsonFormat(head);
  if (format === 'fhir') return openFhir(file, options);
  return format ? openJson(file, format, options) : openText(file, options);
}

/** The beginnings of text files that the product does not read as tables, and the names of their formats. */
const OTHER_TEXTS: readonly [beginning: RegExp, name: string][] = [
  [/^%PDF-/, 'a PDF'],
  [/^\s*<(?:!doctype html|html)/i, 'an HTML'],
  [/^\s*<(?:\?xml|[a-z][\w:-]*\s+xmlns)/i, 'an XML'],
];

function requireTable(head: Buffer): void {
  const text = head.toString('latin1', 0, CHECKED_TEXT_BYTES).replace(/^\xef\xbb\xbf/, '');
  const other = OTHER_TEXTS.find(([beginning]) => beginning.test(text));
  if (other) throw new Refusal('UNSUPPORTED_MEDIA', `This is ${other[1]} file: save the table as .xlsx or .csv.`);
}

/** Searches the whole file for an encrypted workbook, because a compound file can have its directory anywhere. */
async function compoundFileRefusal(file: FileBytes): Promise<Refusal> {
  let tail = Buffer.alloc(0);
  for await (const piece of file.pieces()) {
    const text = Buffer.concat([tail, piece]);
    if (text.includes(ENCRYPTED_STREAM)) return encryptedWorkbookRefusal();
    tail = Buffer.from(text.subarray(-ENCRYPTED_STREAM.length));
  }
  return new Refusal('UNSUPPORTED_MEDIA', 'This is an .xls file, or another old Office file: save the table as .xlsx.');
}
