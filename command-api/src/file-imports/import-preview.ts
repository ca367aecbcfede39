/** Collects the preview of an import: the number of rows and the first rows per outcome. */
import {
  IMPORT_OUTCOMES,
  type ImportedRow,
  type ImportOutcome,
  type ImportPreview,
  PREVIEWED_ROWS_MAX,
} from '@rdm/contracts';
import type { ImportedRowOutcome } from '../runtime/job-pieces.ts';
import { shortenedProblems } from '../runtime/job-pieces.ts';

const OUTCOME_OF = { created: 'new', changed: 'changed', unchanged: 'unchanged' } as const;

/** The preview outcome of a decided row. */
export const outcomeOf = ({ outcome, became = 'changed' }: ImportedRowOutcome): ImportOutcome =>
  outcome === 'refused' ? 'invalid' : OUTCOME_OF[became];

/** Counts rows, added in any order, and keeps the first rows of each outcome. */
export class PreviewCollector<Row extends ImportedRow> {
  readonly #counts: ImportPreview<Row>['counts'] = { new: 0, changed: 0, unchanged: 0, invalid: 0 };
  readonly #rows: Record<ImportOutcome, Row[]> = { new: [], changed: [], unchanged: [], invalid: [] };
  readonly #remarks = new Map<string, ImportPreview<Row>['remarks'][number]>();

  add(row: Row): void {
    this.#counts[row.outcome] += 1;
    const rows = this.#rows[row.outcome];
    rows.push({ ...row, problems: shortenedProblems(row.problems) });
    if (rows.length >= 10 * PREVIEWED_ROWS_MAX) this.#rows[row.outcome] = firstRows(rows);
  }

  /** Adds a remark about a row. Equal remarks become one entry, with a count and the first row. */
  remark(text: string, row: number): void {
    const listed = this.#remarks.get(text);
    if (listed) {
      listed.count += 1;
      listed.row = Math.min(listed.row, row);
    } else this.#remarks.set(text, { text, count: 1, row });
  }

  /** `remarks` apply to the whole file. */
  preview(remarks: readonly string[]): ImportPreview<Row> {
    return {
      counts: this.#counts,
      rows: IMPORT_OUTCOMES.flatMap((outcome) => firstRows(this.#rows[outcome])).sort((a, b) => a.row - b.row),
      remarks: [...remarks.map((text) => ({ text, count: 0, row: 0 })), ...this.#remarks.values()],
    };
  }
}

const firstRows = <Row extends ImportedRow>(rows: readonly Row[]): Row[] =>
  [...rows].sort((a, b) => a.row - b.row).slice(0, PREVIEWED_ROWS_MAX);
