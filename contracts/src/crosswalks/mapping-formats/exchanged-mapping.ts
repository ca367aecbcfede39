/** The parts that all mapping formats share: a mapping, and the conversion of values to identifiers and back. */

import type { ImportProblem, RawRow, TableHead } from '../../jobs/row-imports.ts';
import type { ApprovalStatus } from '../../review/approval.ts';
import { holdsStorableText, normaliseText } from '../../text/text.ts';
import { MAPPED_CHARACTERS_MAX } from '../mappings.ts';

/** How rows are written as a file: the text before them, each row, and the text after them. */
export interface Format<Row> {
  contentType: string;
  extension: string;
  head: string;
  row: (row: Row, first: boolean) => string;
  tail: string | ((isEmpty: boolean) => string);
  /** The character set of texts: UTF-8, or one byte per character. */
  encoding?: 'latin1';
}

/** A mapping as it is written. */
export interface ExchangedMapping {
  sourceValue: string;
  targetValue: string;
  confidence: number;
  status: ApprovalStatus;
  sourceLabel: string | null;
  targetLabel: string | null;
  createdBy: number | null;
  approvedBy: number | null;
}

interface ExchangedSide {
  dataSetId: number;
  name: string;
  fieldName: string;
}

/** The crosswalk of the written mappings. */
export interface ExchangedCrosswalk {
  id: number;
  name: string;
  /** Whether all written mappings are served. */
  isServed: boolean;
  source: ExchangedSide;
  target: ExchangedSide;
}

/** A value as a file names it. */
export interface NamedValue {
  value: string;
  /** The same without the prefix of its identifier, which is how a data set may store it. */
  local?: string;
}

/** A mapping as it was read; `problems` list why it cannot be used. */
export interface ReadMapping {
  row: number;
  source: NamedValue;
  target: NamedValue;
  confidence: number;
  problems: ImportProblem[];
  /** Columns or elements of the file that are not kept. */
  remarks: string[];
  /** For tables. */
  raw?: RawRow;
}

/** Reads a file from pieces of its text. */
export interface MappingReader {
  /** Mappings that are complete in the text so far. `last` marks the last piece. */
  push(text: string, last: boolean): Iterable<ReadMapping>;
  /** For the file as a whole; known at its end. */
  remarks(): string[];
  /** For tables that have rows; undefined for a document that is parsed as a whole. */
  head(): TableHead | undefined;
}

/** The address of one attribute of a data set: the common beginning of its values' identifiers. */
export const systemOf = (publicUrl: string, { dataSetId, fieldName }: ExchangedSide): string =>
  `${publicUrl.replace(/\/+$/, '')}/reference-data/${dataSetId}#${encodeURIComponent(fieldName)}`;

export const addressOf = (publicUrl: string, { id }: Pick<ExchangedCrosswalk, 'id'>): string =>
  `${publicUrl.replace(/\/+$/, '')}/crosswalks/${id}`;

/** The beginning of identifiers that this product wrote, on any host. */
export const isOwnSystem = (address: string): boolean => /\/reference-data\/\d+#[^#=]*=$/.test(address);

/** Checks that a value is there and not too long. */
export function valueProblem(column: string, value: string, what: 'source' | 'target'): ImportProblem | undefined {
  if (value === '') {
    return {
      column,
      value,
      rule: `The ${what} value is missing`,
      fix: `Fill in the ${what} value, or leave the row out`,
    };
  }
  if (normaliseText(value).length > MAPPED_CHARACTERS_MAX) {
    return {
      column,
      value: `${value.slice(0, 100)}…`,
      rule: `The ${what} value is longer than ${MAPPED_CHARACTERS_MAX.toLocaleString('en')} characters`,
      fix: 'Shorten it',
    };
  }
  if (!holdsStorableText(value)) {
    return {
      column,
      value: value.replaceAll('\0', '').toWellFormed(),
      rule: `The ${what} value has characters that no text can hold`,
      fix: 'Take NUL characters and halves of surrogate pairs out of it',
    };
  }
  return undefined;
}

const DECIMAL = /^[+]?\d+(?:\.\d*)?(?:e[+-]?\d+)?$|^[+]?\.\d+(?:e[+-]?\d+)?$/i;

/** Reads a confidence up to `most`; the problem names what is allowed. */
export function readConfidence(
  column: string,
  text: string,
  most: 1 | 100,
): { confidence: number } | { problem: ImportProblem } {
  const trimmed = text.trim();
  const confidence = DECIMAL.test(trimmed) ? Number(most === 1 ? shifted(trimmed, 2) : trimmed) : Number.NaN;
  if (confidence >= 0 && confidence <= 100) return { confidence };
  const example = most === 1 ? '0.875' : '87.5';
  return {
    problem: {
      column,
      value: text,
      rule: `The confidence is not a number from 0 to ${most}`,
      fix: `Write a number such as ${example}, or leave it out for ${most}`,
    },
  };
}

/** Moves the decimal point of a number that is written out, without rounding. */
function shifted(text: string, places: number): string {
  const [mantissa = '0', exponent = '0'] = text.toLowerCase().split('e');
  return `${mantissa}e${Number(exponent) + places}`;
}

/** A confidence of 0 to 100 as a share of 1, in as many digits as it needs. */
export function shareOf(confidence: number): string {
  const [mantissa = '0', exponent = '0'] = String(confidence).split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent) - 2;
  const digits = point < 0 ? '0'.repeat(-point) + whole + fraction : (whole + fraction).padEnd(point, '0');
  const at = Math.max(point, 0);
  const before = digits.slice(0, at).replace(/^0+(?=\d)/, '') || '0';
  const after = digits.slice(at).replace(/0+$/, '');
  return after === '' ? before : `${before}.${after}`;
}
