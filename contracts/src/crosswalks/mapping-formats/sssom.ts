/**
 * Writes and reads mappings as SSSOM's TSV (mapping-commons.github.io/sssom): metadata as YAML after hash signs, then
 * one mapping per line. Values are written percent-encoded, as CURIEs with one prefix for sources and one for targets.
 * Identifiers of other programs are looked up with and without their prefixes.
 */
import { CROSSWALK_CONFIDENCE_DEFAULT } from '../../constants.ts';
import type { ImportProblem, TableHead } from '../../jobs/row-imports.ts';
import { Refusal } from '../../refusal.ts';
import { type CsvRecord, csvScanner, neutralised, REASON_COLUMN, withoutApostrophe } from '../../text/csv.ts';
import { decodePercent } from './concept-map.ts';
import {
  addressOf,
  type ExchangedCrosswalk,
  type ExchangedMapping,
  type Format,
  fieldAddress,
  isPrefixOfThisProduct,
  type MappingReader,
  type NamedValue,
  type ReadMapping,
  readConfidence,
  shareOf,
  valueProblem,
} from './exchanged-mapping.ts';

const COLUMNS = [
  'subject_id',
  'subject_label',
  'predicate_id',
  'object_id',
  'object_label',
  'mapping_justification',
  'author_id',
  'reviewer_id',
  'confidence',
  'other',
] as const;
const EXACT = 'skos:exactMatch';
/** The justification of an approved mapping. */
const REVIEWED = 'semapv:MappingReview';
const UNSPECIFIED = 'semapv:UnspecifiedMatching';
/** The value of SSSOM for mappings without a licence. */
const NO_LICENSE = 'https://w3id.org/sssom/license/unspecified';

const cell = (text: string): string => (/["\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
/** Writes a label, neutralised because it can begin like a formula. An identifier begins with its prefix. */
const label = (text: string | null): string => cell(neutralised(text ?? ''));
const curie = (prefix: 'source' | 'target' | 'user', value: string): string => `${prefix}:${encodeURIComponent(value)}`;
/** Writes a text for YAML, where texts in double quotes are the same as in JSON. */
const yaml = (text: string): string => JSON.stringify(text);

export function sssom(publicUrl: string, crosswalk: ExchangedCrosswalk): Format<ExchangedMapping> {
  const { source, target, name } = crosswalk;
  const metadata = [
    'curie_map:',
    `  source: ${yaml(`${fieldAddress(publicUrl, source)}=`)}`,
    `  target: ${yaml(`${fieldAddress(publicUrl, target)}=`)}`,
    `  user: ${yaml(`${publicUrl.replace(/\/+$/, '')}/users/`)}`,
    `mapping_set_id: ${yaml(addressOf(publicUrl, crosswalk))}`,
    `mapping_set_title: ${yaml(name)}`,
    `mapping_set_description: ${yaml(`${source.name} to ${target.name}`)}`,
    `license: ${yaml(NO_LICENSE)}`,
  ];
  const userCurie = (user: number | null) => (user === null ? '' : curie('user', String(user)));
  return {
    contentType: 'text/tab-separated-values; charset=utf-8',
    extension: 'sssom.tsv',
    head: `${metadata.map((line) => `#${line}\n`).join('')}${COLUMNS.join('\t')}\n`,
    row({ sourceValue, targetValue, sourceLabel, targetLabel, confidence, status, createdBy, approvedBy }) {
      const isApproved = status === 'APPROVED';
      const cells: Record<(typeof COLUMNS)[number], string> = {
        subject_id: curie('source', sourceValue),
        subject_label: label(sourceLabel),
        predicate_id: EXACT,
        object_id: curie('target', targetValue),
        object_label: label(targetLabel),
        mapping_justification: isApproved ? REVIEWED : UNSPECIFIED,
        author_id: userCurie(createdBy),
        reviewer_id: isApproved ? userCurie(approvedBy) : '',
        confidence: shareOf(confidence),
        other: isApproved ? '' : `status=${status.toLowerCase()}`,
      };
      return `${COLUMNS.map((column) => cells[column]).join('\t')}\n`;
    },
    tail: '',
  };
}

/** Whether the header has `subject_id` or `object_id`. `rowReader` requires both. */
export const isSssom = (text: string): boolean => {
  const { header } = splitBeginning(text);
  return header.includes('subject_id') || header.includes('object_id');
};

/** Splits a text into metadata lines, without their hash signs, and column names. `isWhole`: the header has ended. */
function splitBeginning(text: string) {
  const metadata: string[] = [];
  let start = 0;
  while (text[start] === '#') {
    const end = text.indexOf('\n', start);
    const line = text.slice(start + 1, end < 0 ? text.length : end);
    metadata.push(line.replace(/\r$/, ''));
    start = end < 0 ? text.length : end + 1;
  }
  const end = text.indexOf('\n', start);
  const header = text.slice(start, end < 0 ? text.length : end).replace(/\r$/, '');
  const names = header.split('\t').map((name) => name.trim().replace(/^"(.*)"$/, '$1'));
  if (names[0] === REASON_COLUMN) names.shift();
  return { metadata, start, header: names, isWhole: end >= 0 };
}

/** The prefixes of the metadata: the lines indented below `curie_map`. */
function prefixesOf(metadata: readonly string[]): Map<string, string> {
  const prefixes = new Map<string, string>();
  const at = metadata.findIndex((line) => /^\s*curie_map\s*:\s*$/.test(line));
  const indent = (line: string) => line.length - line.trimStart().length;
  const mapIndent = indent(metadata[at] ?? '');
  for (const line of at < 0 ? [] : metadata.slice(at + 1)) {
    if (indent(line) <= mapIndent) break;
    const [, name, address] = /^\s*["']?([^\s"':]+)["']?\s*:\s+(.+?)\s*$/.exec(line) ?? [];
    if (name && address) prefixes.set(name, address.replace(/^(["'])(.*)\1$/, '$2'));
  }
  return prefixes;
}

/** The maximum number of characters of the metadata and the header line. */
const HEAD_CHARACTERS_MAX = 1024 * 1024;
const HEAD_TOO_LONG = 'The metadata before the table is too long: remove the lines that no mapping needs';

const NO_TERM = new Set(['sssom:NoTermFound', 'sssom:NoMapping', 'https://w3id.org/sssom/NoTermFound']);

export function sssomReader(): MappingReader {
  const scanner = csvScanner('\t');
  /** The text so far, until the header line is complete. */
  let beginning = '';
  let read: ((record: CsvRecord) => ReadMapping) | undefined;
  let head: TableHead | undefined;
  return {
    push(text, last) {
      if (read) return scanner.push(text, last).map(read);
      beginning += text;
      if (beginning.length > HEAD_CHARACTERS_MAX) throw new Refusal('TOO_LARGE', HEAD_TOO_LONG);
      // The beginning is short enough to be split again with each chunk of text.
      const { metadata, start, header, isWhole } = splitBeginning(beginning);
      if (!isWhole && !last) return [];
      read = rowReader(metadata, header);
      const [first, ...records] = scanner.push(beginning.slice(start), last);
      head = { delimiter: '\t', metadata: beginning.slice(0, start), header: first?.raw ?? '' };
      beginning = '';
      return records.map(read);
    },
    remarks: () => [],
    head: () => head,
  };
}

/** Returns a function that reads the rows of a table with this header. */
function rowReader(metadata: readonly string[], header: readonly string[]): (record: CsvRecord) => ReadMapping {
  const prefixes = prefixesOf(metadata);
  const at = (name: string) => header.indexOf(name);
  for (const needed of ['subject_id', 'object_id']) {
    if (at(needed) < 0) throw new Refusal('INVALID', `The table has no column ${needed}: SSSOM needs it`);
  }
  return ({ line, fields, raw, malformed }) => {
    const cellOf = (name: string) => fields[at(name)] ?? '';
    const problems: (ImportProblem | undefined)[] = [];
    if (malformed !== null) {
      problems.push({
        column: '',
        value: '',
        rule: `In this row ${malformed.rule}`,
        fix: malformed.fix,
      });
    }
    const subject = readEnd(cellOf, 'subject', prefixes);
    const object = readEnd(cellOf, 'object', prefixes);
    problems.push(subject.problem, object.problem);
    if (cellOf('predicate_modifier').toLowerCase() === 'not') {
      problems.push({
        column: 'predicate_modifier',
        value: cellOf('predicate_modifier'),
        rule: 'The row states that subject and object do not match',
        fix: 'Nothing to do: the row is not imported',
      });
    }
    const confidence = cellOf('confidence');
    const share = confidence.trim() === '' ? undefined : readConfidence('confidence', confidence, 1);
    if (share && 'problem' in share) problems.push(share.problem);
    const predicate = cellOf('predicate_id');
    return {
      row: metadata.length + line,
      source: subject.named,
      target: object.named,
      confidence: share && 'confidence' in share ? share.confidence : CROSSWALK_CONFIDENCE_DEFAULT,
      problems: problems.filter((problem) => problem !== undefined),
      remarks:
        predicate === '' || predicate === EXACT
          ? []
          : [`The predicate “${predicate}” is ignored: the row is imported as an ordinary mapping`],
      raw: { text: raw, isBroken: malformed !== null },
    };
  };
}

/** Reads one end of a row: the value of its identifier or, if the end is a literal, its label. */
function readEnd(
  cellOf: (name: string) => string,
  end: 'subject' | 'object',
  prefixes: ReadonlyMap<string, string>,
): { named: NamedValue; problem: ImportProblem | undefined } {
  const column = `${end}_id`;
  const side = end === 'subject' ? 'source' : 'target';
  const id = cellOf(column);
  if (id === '' && cellOf(`${end}_type`) === 'rdfs literal') {
    const value = withoutApostrophe(cellOf(`${end}_label`));
    return { named: { value }, problem: valueProblem(`${end}_label`, value, side) };
  }
  if (NO_TERM.has(id)) {
    const problem = {
      column,
      value: id,
      rule: 'The row states that there is no counterpart',
      fix: 'Nothing to do: the value stays without a mapping',
    };
    return { named: { value: id }, problem };
  }
  const [, prefix = '', local = ''] = /^([^:/]*):(?!\/\/)(.*)$/s.exec(id) ?? [];
  if (local !== '' && isPrefixOfThisProduct(prefixes.get(prefix) ?? '')) {
    const value = decodePercent(local);
    const problem = {
      column,
      value: id,
      rule: 'The percent-encoding of the identifier is invalid',
      fix: 'Encode it, or export it again',
    };
    return value === undefined
      ? { named: { value: id }, problem }
      : { named: { value }, problem: valueProblem(column, value, side) };
  }
  return { named: { value: id, ...(local === '' ? {} : { local }) }, problem: valueProblem(column, id, side) };
}
