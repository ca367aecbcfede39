/**
 * Cell edits that the list does not contain yet: an overlay by row id over the query data. A cell is pending
 * (`waiting`) after the edit, then `sending`, then `saved`. The edit is dropped when the list contains the row at
 * the returned revision. Refused and conflicting edits stay with the reason until the user decides.
 */
import type { CellValue } from '@rdm/contracts/text/rows';
import type { Overlap } from '../../../../lib/conflict/index.ts';
import type { InstanceOutcome, RowData } from '../../api/instances.ts';

/** A version of a row that the page has read. */
export interface ReadRow {
  id: number;
  key: string;
  revision: number;
  data: RowData;
}

export const readRowOf = ({ id, key, revision, data }: ReadRow): ReadRow => ({ id, key, revision, data });

/** A conflict: the version of the row that another user saved, and the cells that both users changed. */
export interface Conflict {
  theirs: ReadRow;
  overlaps: Overlap<string>[];
}

export interface RowEdit {
  id: number;
  key: string;
  /** The revision that the edits are based on; it is sent as the expected revision. */
  revision: number;
  /** The values of the pending and sending cells before the edits. */
  base: RowData;
  waiting: RowData;
  sending: RowData;
  saved: RowData;
  /** Whether another user saved first, and the current version must be loaded before the edits are sent. */
  isBehind: boolean;
  /** Why the edits were not saved; undefined if saving has not failed. */
  failure: string | undefined;
  conflict: Conflict | undefined;
}

/** The rows of one request with their changed cells, in the format of the request. */
export type SentRows = { id: number; revision: number; data: RowData }[];

export type EditMark = 'edited' | 'failed' | 'conflict';

/** A text that is not a valid value of its field's type. Kept as text until the user corrects it. */
export interface InvalidText {
  row: ReadRow;
  field: string;
  text: string;
  reason: string;
}

/** Unsaved edits in the format that is stored for a reload, with the field id of each field name. */
export interface StoredEdits {
  names: Readonly<Record<string, number>>;
  rows: Pick<RowEdit, 'id' | 'key' | 'revision' | 'base' | 'waiting'>[];
  /** The invalid texts. */
  unreadable: InvalidText[];
}

/** The maximum number of saved edits that are kept for each row. More than one is rarely needed. */
const SAVED_MAX = 8;

const cellOf = (id: number, field: string): string => `${id} ${field}`;
const isEmpty = (cells: RowData): boolean => Object.keys(cells).length === 0;
const valueIn = (cells: RowData, name: string): CellValue => cells[name] ?? null;

export class Edits {
  readonly #rows = new Map<number, RowEdit>();
  readonly #listeners = new Set<() => void>();
  readonly #invalidTexts = new Map<string, InvalidText>();
  /** Saved edits by row id, the newest last. They are applied to rows that were read before the edits were saved. */
  readonly #savedEdits = new Map<number, { revision: number; cells: RowData }[]>();
  readonly #rowVersions = new Map<number, number>();
  #version = 0;

  /** The field ids by field name. The edits of this overlay use these names. */
  readonly names: StoredEdits['names'];

  constructor(stored: StoredEdits = { names: {}, rows: [], unreadable: [] }) {
    this.names = stored.names;
    for (const row of stored.rows) {
      this.#rows.set(row.id, {
        ...row,
        sending: {},
        saved: {},
        isBehind: false,
        failure: undefined,
        conflict: undefined,
      });
    }
    for (const cell of stored.unreadable) this.#invalidTexts.set(cellOf(cell.row.id, cell.field), cell);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  /** A number that increases with every change of the overlay. */
  version = (): number => this.#version;

  /** A number that increases with every change of the edits of the row. */
  rowVersion = (id: number): number => this.#rowVersions.get(id) ?? 0;

  #touch(id: number): void {
    this.#rowVersions.set(id, this.rowVersion(id) + 1);
  }

  #publishChange(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }

  #put(row: RowEdit): void {
    this.#touch(row.id);
    if (isEmpty(row.waiting) && isEmpty(row.sending) && isEmpty(row.saved)) this.#rows.delete(row.id);
    else this.#rows.set(row.id, row);
  }

  rowEdit(id: number): RowEdit | undefined {
    return this.#rows.get(id);
  }

  /**
   * The displayed value of a cell: the pending, sending or saved value, in this order; otherwise the value that was
   * read.
   */
  value(row: ReadRow, name: string): CellValue {
    const edit = this.#rows.get(row.id);
    for (const cells of edit === undefined ? [] : [edit.waiting, edit.sending, edit.saved]) {
      if (name in cells) return valueIn(cells, name);
    }
    return valueIn(this.withSavedEdits(row).data, name);
  }

  /**
   * Applies saved edits to a row that was read before the edits were saved. The revision stops at a gap between saved
   * edits, because the missing revision is a change of another user that was not read.
   */
  withSavedEdits(row: ReadRow): ReadRow {
    const saved = this.#savedEdits.get(row.id)?.filter(({ revision }) => revision > row.revision) ?? [];
    if (saved.length === 0) return row;
    let lastRevision = row.revision;
    for (const { revision } of saved) if (revision === lastRevision + 1) lastRevision = revision;
    return { ...row, revision: lastRevision, data: Object.assign({}, row.data, ...saved.map(({ cells }) => cells)) };
  }

  /** Whether the overlay has edits or invalid texts for the row. */
  hasEdits(id: number): boolean {
    return this.#rows.has(id) || [...this.#invalidTexts.values()].some(({ row }) => row.id === id);
  }

  invalidText(id: number, name: string): InvalidText | undefined {
    return this.#invalidTexts.get(cellOf(id, name));
  }

  mark(id: number, name: string): { mark: EditMark; note: string | undefined } | undefined {
    const invalidText = this.invalidText(id, name);
    if (invalidText !== undefined) return { mark: 'failed', note: invalidText.reason };
    const edit = this.#rows.get(id);
    if (edit === undefined || !(name in edit.waiting || name in edit.sending)) return undefined;
    const isInConflict = edit.conflict?.overlaps.some(({ field }) => field === name) ?? false;
    if (isInConflict) return { mark: 'conflict', note: 'Another user changed this cell: choose which value to keep' };
    return { mark: edit.failure === undefined ? 'edited' : 'failed', note: edit.failure };
  }

  /** Edits cells of rows. Entering the value that a cell already has makes no edit. */
  edit(...changes: readonly { row: ReadRow; cells: RowData }[]): void {
    for (const { row, cells } of changes) this.#write(row, cells);
    this.#publishChange();
  }

  #write(read: ReadRow, cells: RowData): void {
    const row = this.withSavedEdits(read);
    const existing = this.#rows.get(row.id);
    const edit: RowEdit = existing ?? {
      id: row.id,
      key: row.key,
      revision: row.revision,
      base: {},
      waiting: {},
      sending: {},
      saved: {},
      isBehind: false,
      failure: undefined,
      conflict: undefined,
    };
    const base = { ...edit.base };
    const waiting = { ...edit.waiting };
    for (const [name, value] of Object.entries(cells)) {
      this.#invalidTexts.delete(cellOf(row.id, name));
      const earlierCells =
        name in edit.sending
          ? edit.sending
          : name in edit.saved
            ? edit.saved
            : name in edit.base
              ? edit.base
              : row.data;
      if (valueIn(earlierCells, name) === value) delete waiting[name];
      else waiting[name] = value;
      if (!(name in base)) base[name] = valueIn(earlierCells, name);
    }
    // The older revision is sent, so that the server detects a conflict with a change of another user.
    const revision = isEmpty(edit.sending) ? Math.min(edit.revision, row.revision) : edit.revision;
    // Clears the failure, because it concerned the previous value.
    this.#put({ ...edit, revision, base, waiting, failure: undefined });
  }

  /** Keeps a text that is not a valid value of the cell. */
  keepInvalidText(cell: InvalidText): void {
    this.#invalidTexts.set(cellOf(cell.row.id, cell.field), cell);
    this.#touch(cell.row.id);
    this.#publishChange();
  }

  /** Drops the invalid text of a cell. */
  dropInvalidText(id: number, field: string): void {
    if (!this.#invalidTexts.delete(cellOf(id, field))) return;
    this.#touch(id);
    this.#publishChange();
  }

  /** Marks pending cells as sending, and returns the rows of these cells. */
  startSending(maxRows: number): SentRows {
    const rows: SentRows = [];
    for (const edit of this.#rows.values()) {
      if (rows.length === maxRows) break;
      if (isEmpty(edit.waiting) || !isEmpty(edit.sending) || edit.isBehind) continue;
      if (edit.failure !== undefined || edit.conflict !== undefined) continue;
      rows.push({ id: edit.id, revision: edit.revision, data: edit.waiting });
      this.#put({ ...edit, sending: edit.waiting, waiting: {} });
    }
    if (rows.length > 0) this.#publishChange();
    return rows;
  }

  /** Applies the results of a request. Returns the ids of the rows that another user changed first. */
  applyResults(rows: SentRows, results: readonly InstanceOutcome[]): number[] {
    const byId = new Map(results.map((result) => [result.id, result]));
    const stale: number[] = [];
    for (const { id } of rows) {
      const edit = this.#rows.get(id);
      if (edit === undefined) continue;
      const result = byId.get(id);
      if (result?.outcome === 'done' && result.revision !== undefined) {
        const base = Object.fromEntries(
          Object.keys(edit.waiting).map((name) => [
            name,
            valueIn(name in edit.sending ? edit.sending : edit.base, name),
          ]),
        );
        const saved = [...(this.#savedEdits.get(id) ?? []), { revision: result.revision, cells: edit.sending }];
        this.#savedEdits.set(id, saved.slice(-SAVED_MAX));
        this.#put({
          ...edit,
          revision: result.revision,
          base,
          sending: {},
          saved: { ...edit.saved, ...edit.sending },
        });
        continue;
      }
      const isBehind = result?.code === 'STALE';
      if (isBehind) stale.push(id);
      this.#returnToPending(
        { ...edit, isBehind },
        isBehind ? undefined : (result?.message ?? 'The server did not confirm the change of this row'),
      );
    }
    this.#publishChange();
    return stale;
  }

  /** Makes the sending cells pending again. A cell with a newer edit keeps the newer value. */
  #returnToPending(edit: RowEdit, failure: string | undefined): void {
    this.#put({ ...edit, waiting: { ...edit.sending, ...edit.waiting }, sending: {}, failure });
  }

  /** Handles a request that was lost, or that the server refused for all rows. */
  applyFailure(rows: SentRows, reason: string): void {
    for (const { id } of rows) {
      const edit = this.#rows.get(id);
      if (edit !== undefined) this.#returnToPending({ ...edit, isBehind: false }, reason);
    }
    this.#publishChange();
  }

  /**
   * Merges the version that another user saved. Drops edits with an equal value in this version. Cells that both
   * users changed differently become conflicts. If `theirs` is undefined, the row was deleted and the edits fail.
   */
  mergeTheirs(id: number, theirs: ReadRow | undefined): void {
    const edit = this.#rows.get(id);
    if (edit === undefined) return;
    if (theirs === undefined) {
      this.#put({ ...edit, isBehind: false, failure: 'This row was deleted in the meantime' });
      this.#publishChange();
      return;
    }
    const waiting: RowData = {};
    const base: RowData = {};
    const overlaps: Overlap<string>[] = [];
    for (const [name, mine] of Object.entries(edit.waiting)) {
      const theirValue = valueIn(theirs.data, name);
      if (theirValue === mine) continue;
      waiting[name] = mine;
      const before = valueIn(edit.base, name);
      base[name] = theirValue === before ? theirValue : before;
      if (theirValue !== before) overlaps.push({ field: name, base: before, mine, theirs: theirValue });
    }
    const conflict = overlaps.length === 0 ? undefined : { theirs, overlaps };
    this.#put({
      ...edit,
      key: theirs.key,
      revision: conflict === undefined ? theirs.revision : edit.revision,
      base,
      waiting,
      conflict,
      isBehind: false,
      failure: undefined,
    });
    this.#publishChange();
  }

  /** Resolves the conflicts of a row. Conflicting cells that are not in `mine` get the values of `theirs`. */
  resolve(id: number, mine: ReadonlySet<string>): void {
    const edit = this.#rows.get(id);
    if (edit?.conflict === undefined) return;
    const { theirs, overlaps } = edit.conflict;
    const waiting = { ...edit.waiting };
    for (const { field } of overlaps) if (!mine.has(field)) delete waiting[field];
    const base = Object.fromEntries(Object.keys(waiting).map((name) => [name, valueIn(theirs.data, name)]));
    this.#put({ ...edit, revision: theirs.revision, base, waiting, conflict: undefined });
    this.#publishChange();
  }

  /** Retries refused or lost edits of all rows, or of the given rows. */
  retry(ids?: readonly number[]): void {
    const selectedIds = ids && new Set(ids);
    for (const edit of this.#rows.values()) {
      if (edit.failure !== undefined && selectedIds?.has(edit.id) !== false) this.#put({ ...edit, failure: undefined });
    }
    this.#publishChange();
  }

  /** Discards the pending edits and the invalid texts of a row, but not the cells that are being sent. */
  discard(id: number): void {
    const edit = this.#rows.get(id);
    if (edit !== undefined) this.#put({ ...edit, waiting: {}, conflict: undefined, failure: undefined });
    for (const { row, field } of this.#invalidTexts.values())
      if (row.id === id) this.#invalidTexts.delete(cellOf(id, field));
    this.#touch(id);
    this.#publishChange();
  }

  /** Drops saved edits that the reloaded list contains. */
  dropLoaded(rows: readonly Pick<ReadRow, 'id' | 'revision'>[]): void {
    let dropped = false;
    for (const { id, revision } of rows) {
      const edit = this.#rows.get(id);
      if (edit === undefined || isEmpty(edit.saved) || revision < edit.revision) continue;
      this.#put({ ...edit, saved: {} });
      dropped = true;
    }
    if (dropped) this.#publishChange();
  }

  /** The unsaved edits of all rows. */
  unsaved(): RowEdit[] {
    return [...this.#rows.values()].filter((edit) => !isEmpty(edit.waiting) || !isEmpty(edit.sending));
  }

  invalidTexts(): InvalidText[] {
    return [...this.#invalidTexts.values()];
  }

  /** The unsaved edits in the format that is stored for a reload. */
  snapshot(): StoredEdits {
    const rows = this.unsaved().map(({ id, key, revision, base, waiting, sending }) => ({
      id,
      key,
      revision,
      base,
      waiting: { ...sending, ...waiting },
    }));
    return { names: this.names, rows, unreadable: this.invalidTexts() };
  }
}
