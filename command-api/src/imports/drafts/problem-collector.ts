/** Groups the problems of a file by rule, column and shape of the value, and stores records that have problems. */
import {
  type ColumnProfile,
  fixesFor,
  type GroupKey,
  groupId,
  messageFor,
  type ProblemGroup,
  parseGroupId,
  severityOf,
  shortened,
} from '@rdm/contracts';
import type { Pool } from '@rdm/platform';
import type { FlawedRow } from '../validation/row-validation.ts';
import { groupOf } from './fixes.ts';

/** The maximum number of records that are stored for a group; further records are only counted. */
const STORED_PER_GROUP = 10_000;
const VALUES_COUNTED = 1_000;
const VALUES_SHOWN = 50;
const RECORDS_PER_WRITE = 500;

interface Group {
  key: GroupKey;
  count: number;
  stored: number;
  values: Map<string, number>;
}

interface ProblemRow {
  record: number;
  place: string;
  group_ids: string[];
  is_error: boolean;
  cells: string[];
  problems: { column: number | null; value: string; rule: string; reason: string; fix: string }[];
}

export class ProblemCollector {
  readonly #pool: Pool;
  readonly #draftId: string;
  readonly #jobId: number;
  readonly #columns: readonly ColumnProfile[];
  readonly #label: number | null;
  readonly #names: readonly string[];
  readonly #groups = new Map<string, Group>();
  #waiting: ProblemRow[] = [];
  /** The number of records with errors; records that have only warnings do not count. */
  invalidRecords = 0;

  /** `columns` have the types and formats that apply; `label` is the index of the column that names a row. */
  constructor(pool: Pool, draftId: string, jobId: number, columns: readonly ColumnProfile[], label: number | null) {
    this.#columns = columns;
    this.#label = label;
    this.#pool = pool;
    this.#draftId = draftId;
    this.#jobId = jobId;
    this.#names = columns.map(({ name }) => name);
  }

  /**
   * Adds a record with its flaws, which are warnings if `isError` is false. `cells` returns the texts of the cells in
   * the order of the columns.
   */
  async add(row: FlawedRow, place: string, cells: () => string[], isError = true): Promise<void> {
    if (isError) this.invalidRecords += 1;
    const ids = new Set<string>();
    for (const flaw of row.flaws) {
      const id = groupOf(flaw, this.#names);
      const group = this.#group(id);
      group.count += 1;
      const value = flaw.value ?? '';
      const counted = group.values.get(value);
      if (counted !== undefined || group.values.size < VALUES_COUNTED) group.values.set(value, (counted ?? 0) + 1);
      if (group.stored < STORED_PER_GROUP) ids.add(id);
    }
    for (const id of ids) (this.#groups.get(id) as Group).stored += 1;
    if (ids.size === 0) return;
    this.#waiting.push({
      record: row.line,
      place,
      group_ids: [...ids],
      is_error: isError,
      cells: cells().map((cell) => shortened(cell)),
      problems: row.flaws.map(({ column, value, rule, reason, fix }) => ({
        column: column === null ? null : this.#names.indexOf(column),
        value: value ?? '',
        rule,
        reason,
        fix,
      })),
    });
    if (this.#waiting.length >= RECORDS_PER_WRITE) await this.flush();
  }

  #group(id: string): Group {
    let group = this.#groups.get(id);
    if (!group) {
      group = { key: parseGroupId(id), count: 0, stored: 0, values: new Map() };
      this.#groups.set(id, group);
    }
    return group;
  }

  async flush(): Promise<void> {
    const rows = this.#waiting;
    this.#waiting = [];
    if (rows.length === 0) return;
    await this.#pool.query(
      `INSERT INTO command.import_problems (draft_id, check_job_id, record, place, group_ids, cells, problems, is_error)
       SELECT $1, $2, r.record, r.place, r.group_ids, r.cells, r.problems, r.is_error
         FROM jsonb_to_recordset($3::jsonb)
           AS r(record bigint, place text, group_ids text[], cells jsonb, problems jsonb, is_error boolean)
       ON CONFLICT DO NOTHING`,
      [this.#draftId, this.#jobId, JSON.stringify(rows)],
    );
  }

  /** Returns all groups, the largest first. */
  groups(): ProblemGroup[] {
    return [...this.#groups.values()]
      .map(({ key, count, values }): ProblemGroup => {
        const shownValues = [...values]
          .sort(([, a], [, b]) => b - a)
          .slice(0, VALUES_SHOWN)
          .map(([value, times]) => ({ value, count: times }));
        const column = key.column === null ? null : (this.#columns[key.column] ?? null);
        const group = { id: groupId(key), ...key, count, values: shownValues };
        return {
          ...group,
          severity: severityOf(key.rule),
          message: messageFor(group, column),
          fixes: fixesFor(group, column, this.#label),
        };
      })
      .sort((a, b) => b.count - a.count);
  }
}
