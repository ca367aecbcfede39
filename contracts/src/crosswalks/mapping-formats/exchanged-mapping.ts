/**
 * Types and functions for all mapping formats: mappings that are written or read, confidences, and addresses of
 * identifiers.
 */

import type { ImportProblem, RawRow, TableHead } from '../../jobs/row-imports.ts';
import type { ApprovalStatus } from '../../review/approval.ts';
import { holdsStorableText, normaliseText } from '../../text/text.ts';
import { MAPPED_CHARACTERS_MAX } from '../mappings.ts';

/** Writes rows as a file: the text before the rows, each row, and the text after the rows. */
export interface Format<Row> {
  contentType: string;
  extension: string;
  head: string;
  row: (row: Row, isFirst: boolean) => string;
  tail: string | ((isEmpty: boolean) => string);
  /** Set if each character of the texts represents one byte; otherwise texts are written as UTF-8. */
  encoding?: 'latin1';
}

/** A mapping that is written to a file. */
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

/** The crosswalk whose mappings are written. */
export interface ExchangedCrosswalk {
  id: number;
  name: string;
  /** Whether all written mappings are served. */
  isServed: boolean;
  source: ExchangedSide;
  target: ExchangedSide;
}

/** A source or target value in a file. */
export interface NamedValue {
  value: string;
  /** `value` without its prefix, if it has one: the codes of the data set can lack the prefix. */
  local?: string;
}

/** A mapping that was read from a file; `problems` list why it cannot be used. */
export interface ReadMapping {
  row: number;
  source: NamedValue;
  target: NamedValue;
  confidence: number;
  problems: ImportProblem[];
  /** Remarks about columns or elements of the file that are ignored. */
  remarks: string[];
  /** The original text of the row; only for tables. */
  raw?: RawRow;
}

/** Reads a file from pieces of its text. */
export interface MappingReader {
  /** Takes a piece of the text and returns the mappings that are now complete. `last` marks the last piece. */
  push(text: string, last: boolean): Iterable<ReadMapping>;
  /** Remarks about the whole file. They are complete after the last piece. */
  remarks(): string[];
  /** The head of a table that has rows; undefined for a document that is parsed as a whole. */
  head(): TableHead | undefined;
}

/** The address of a field of a data set. The identifiers of the field's values begin with this address. */
export const fieldAddress = (publicUrl: string, { dataSetId, fieldName }: ExchangedSide): string =>
  `${publicUrl.replace(/\/+$/, '')}/reference-data/${dataSetId}#${encodeURIComponent(fieldName)}`;

export const addressOf = (publicUrl: string, { id }: Pick<ExchangedCrosswalk, 'id'>): string =>
  `${publicUrl.replace(/\/+$/, '')}/crosswalks/${id}`;

/** Whether the address is a prefix of this product's identifiers, on any host: the address of a field and `=`. */
export const isPrefixOfThisProduct = (address: string): boolean => /\/reference-data\/\d+#[^#=]*=$/.test(address);

/** Checks that a value is present, storable and not too long. */
export function valueProblem(column: string, value: string, side: 'source' | 'target'): ImportProblem | undefined {
  if (value === '') {
    return {
      column,
      value,
      rule: `The ${side} value is missing`,
      fix: `Fill in the ${side} value, or delete this line from the file`,
    };
  }
  if (normaliseText(value).length > MAPPED_CHARACTERS_MAX) {
    return {
      column,
      value: `${value.slice(0, 100)}…`,
      rule: `The ${side} value is longer than ${MAPPED_CHARACTERS_MAX.toLocaleString('en')} characters`,
      fix: 'Shorten it',
    };
  }
  if (!holdsStorableText(value)) {
    return {
      column,
      value: value.replaceAll('\0', '').toWellFormed(),
      rule: `The ${side} value has characters that cannot be stored`,
      fix: 'Remove NUL characters and halves of surrogate pairs',
    };
  }
  return undefined;
}

const DECIMAL = /^[+]?\d+(?:\.\d*)?(?:e[+-]?\d+)?$|^[+]?\.\d+(?:e[+-]?\d+)?$/i;

/** Reads a confidence from 0 to `maximum`, and returns it as a confidence from 0 to 100. */
export function readConfidence(
  column: string,
  text: string,
  maximum: 1 | 100,
): { confidence: number } | { problem: ImportProblem } {
  const trimmed = text.trim();
  const percentage = maximum === 1 ? shiftDecimalPoint(trimmed, 2) : trimmed;
  const confidence = DECIMAL.test(trimmed) ? Number(percentage) : Number.NaN;
  if (confidence >= 0 && confidence <= 100) return { confidence };
  const example = maximum === 1 ? '0.875' : '87.5';
  return {
    problem: {
      column,
      value: text,
      rule: `The confidence is not a number from 0 to ${maximum}`,
      fix: `Write a number such as ${example}, or omit it: the confidence is then ${maximum}`,
    },
  };
}

/** Moves the decimal point of a decimal number in a text, without rounding. */
function shiftDecimalPoint(text: string, places: number): string {
  const [mantissa = '0', exponent = '0'] = text.toLowerCase().split('e');
  return `${mantissa}e${Number(exponent) + places}`;
}

/** Writes a confidence from 0 to 100 as a decimal number from 0 to 1, without rounding. */
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
