/**
 * Cell edits that the list does not contain yet: an overlay by row id over the query data. A cell is pending (`waiting`) after
 * it is typed, then `sending`, then `saved`. The edit is dropped when the list contains the row at the returned revision.
 * Refused and conflicting edits stay with the reason until the user decides.
 */
import type { CellValue } from '@rdm/contracts/text/rows';
import type { Overlap } from '../../../../lib/conflict/index.ts';
import type { InstanceOutcome, RowData } from '../../api/instances.ts';

/** A row as the page has read it. */
export interface ReadRow {
  id: number;
  key: string;
  revision: number;
  data: RowData;
}

export const readRowOf = ({ id, key, revision, data }: ReadRow): ReadRow => ({ id, key, revision, data });

/** A conflict: the row as another user saved it, and the cells that both users changed. */
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
  /** Whether another user saved first and the current row is not loaded yet: until then nothing is sent. */
  isBehind: boolean;
  /** Why the edits were not saved; undefined if there is no problem. */
  trouble: string | undefined;
  conflict: Conflict | undefined;
}

/** Changed cells by row, as in the request. */
export type Batch = { id: number; revision: number; data: RowData }[];

export type EditMark = 'edited' | 'failed' | 'conflict';

/** Typed text that is no valid value of the type. It is kept as text until the user corrects it. */
export interface Unreadable {
  row: ReadRow;
  field: string;
  text: string;
  reason: string;
}

/** Edits in the form in which they are stored for a reload, with the field ids of the field names. */
export interface StoredEdits {
  names: Readonly<Record<string, number>>;
  rows: Pick<RowEdit, 'id' | 'key' | 'revision' | 'base' | 'waiting'>[];
  unreadable: Unreadable[];
}

/** The number of saved edits that are remembered for each row; more than one is rarely needed. */
const SAVED_MAX = 8;

const cellOf = (id: number, field: string): string => `${id} ${field}`;
const isEmpty = (cells: RowData): boolean => Object.keys(cells).length === 0;
const valueIn = (cells: RowData, name: string): CellValue => cells[name] ?? null;

export class Edits {
  readonly #rows = new Map<number, RowEdit>();
  readonly #listeners = new Set<() => void>();
  readonly #unreadable = new Map<string, Unreadable>();
  /** Saved edits by row id, the newest last. They are applied to rows that were read before the edits were saved. */
  readonly #savedEdits = new Map<number, { revision: number; cells: RowData }[]>();
  readonly #stamps = new Map<number, number>();
  #version = 0;

  /** The field ids by the field names that this overlay uses. */
  readonly names: StoredEdits['names'];

  constructor(stored: StoredEdits = { names: {}, rows: [], unreadable: [] }) {
    this.names = stored.names;
    for (const row of stored.rows) {
      this.#rows.set(row.id, {
        ...row,
        sending: {},
        saved: {},
        isBehind: false,
        trouble: undefined,
        conflict: undefined,
      });
    }
    for (const cell of stored.unreadable) this.#unreadable.set(cellOf(cell.row.id, cell.field), cell);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  /** A number that changes with every change of the overlay. */
  version = (): number => this.#version;

  /** A number that changes whenever the edits of the row change. */
  stamp = (id: number): number => this.#stamps.get(id) ?? 0;

  #touch(id: number): void {
    this.#stamps.set(id, this.stamp(id) + 1);
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

  of(id: number): RowEdit | undefined {
    return this.#rows.get(id);
  }

  /** The displayed value of a cell: the newest of typed, sending and saved, else the value that was read. */
  value(row: ReadRow, name: string): CellValue {
    const edit = this.#rows.get(row.id);
    for (const cells of edit === undefined ? [] : [edit.waiting, edit.sending, edit.saved]) {
      if (name in cells) return valueIn(cells, name);
    }
    return valueIn(this.withSavedEdits(row).data, name);
  }

  /**
   * Applies saved edits to a row that was read before they were saved. The revision of the row advances only over consecutive
   * edits of this overlay, because a revision in between is an unknown change of another user.
   */
  withSavedEdits(row: ReadRow): ReadRow {
    const saved = this.#savedEdits.get(row.id)?.filter(({ revision }) => revision > row.revision) ?? [];
    if (saved.length === 0) return row;
    let at = row.revision;
    for (const { revision } of saved) if (revision === at + 1) at = revision;
    return { ...row, revision: at, data: Object.assign({}, row.data, ...saved.map(({ cells }) => cells)) };
  }

  /** Whether the overlay has edits or invalid texts of the row. */
  hasEdits(id: number): boolean {
    return this.#rows.has(id) || [...this.#unreadable.values()].some(({ row }) => row.id === id);
  }

  unreadable(id: number, name: string): Unreadable | undefined {
    return this.#unreadable.get(cellOf(id, name));
  }

  mark(id: number, name: string): { mark: EditMark; note: string | undefined } | undefined {
    const unreadable = this.unreadable(id, name);
    if (unreadable !== undefined) return { mark: 'failed', note: unreadable.reason };
    const edit = this.#rows.get(id);
    if (edit === undefined || !(name in edit.waiting || name in edit.sending)) return undefined;
    const isInConflict = edit.conflict?.overlaps.some(({ field }) => field === name) ?? false;
    if (isInConflict) return { mark: 'conflict', note: 'Another user changed this cell: choose which value to keep' };
    return { mark: edit.trouble === undefined ? 'edited' : 'failed', note: edit.trouble };
  }

  /** Edits cells of rows. Typing the value that a cell already has is no edit. */
  edit(...changes: readonly { row: ReadRow; cells: RowData }[]): void {
    for (const { row, cells } of changes) this.#write(row, cells);
    this.#publishChange();
  }

  #write(read: ReadRow, cells: RowData): void {
    const row = this.withSavedEdits(read);
    const known = this.#rows.get(row.id);
    const edit: RowEdit = known ?? {
      id: row.id,
      key: row.key,
      revision: row.revision,
      base: {},
      waiting: {},
      sending: {},
      saved: {},
      isBehind: false,
      trouble: undefined,
      conflict: undefined,
    };
    const base = { ...edit.base };
    const waiting = { ...edit.waiting };
    for (const [name, value] of Object.entries(cells)) {
      this.#unreadable.delete(cellOf(row.id, name));
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
    // If the row was read before another user's change, its older revision is sent, so that the server detects the conflict.
    const revision = isEmpty(edit.sending) ? Math.min(edit.revision, row.revision) : edit.revision;
    // Clears the problem, which concerned the previous value.
    this.#put({ ...edit, revision, base, waiting, trouble: undefined });
  }

  /** Keeps a text that is no valid value of the cell. */
  keepUnreadable(cell: Unreadable): void {
    this.#unreadable.set(cellOf(cell.row.id, cell.field), cell);
    this.#touch(cell.row.id);
    this.#publishChange();
  }

  /** Drops the invalid text of a cell. */
  dropUnreadable(id: number, field: string): void {
    if (!this.#unreadable.delete(cellOf(id, field))) return;
    this.#touch(id);
    this.#publishChange();
  }

  /** Returns the rows whose pending cells can be sent, and marks them as sending. */
  startSending(most: number): Batch {
    const batch: Batch = [];
    for (const edit of this.#rows.values()) {
      if (batch.length === most) break;
      if (isEmpty(edit.waiting) || !isEmpty(edit.sending) || edit.isBehind) continue;
      if (edit.trouble !== undefined || edit.conflict !== undefined) continue;
      batch.push({ id: edit.id, revision: edit.revision, data: edit.waiting });
      this.#put({ ...edit, sending: edit.waiting, waiting: {} });
    }
    if (batch.length > 0) this.#publishChange();
    return batch;
  }

  /** Applies the server's results. Returns the ids of rows that another user changed in the meantime. */
  applyResults(batch: Batch, results: readonly InstanceOutcome[]): number[] {
    const byId = new Map(results.map((result) => [result.id, result]));
    const stale: number[] = [];
    for (const { id } of batch) {
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
        isBehind ? undefined : (result?.message ?? 'The server did not confirm this row'),
      );
    }
    this.#publishChange();
    return stale;
  }

  /** Makes the sending cells pending again; a cell that was edited since keeps its newer value. */
  #returnToPending(edit: RowEdit, trouble: string | undefined): void {
    this.#put({ ...edit, waiting: { ...edit.sending, ...edit.waiting }, sending: {}, trouble });
  }

  /** Handles a request that was lost, or that the server refused as a whole. */
  applyFailure(batch: Batch, why: string): void {
    for (const { id } of batch) {
      const edit = this.#rows.get(id);
      if (edit !== undefined) this.#returnToPending({ ...edit, isBehind: false }, why);
    }
    this.#publishChange();
  }

  /**
   * Merges the version that another user saved: edits of other cells stay pending on top of it, edits of the same cells become
   * conflicts.
   */
  mergeTheirs(id: number, theirs: ReadRow | undefined): void {
    const edit = this.#rows.get(id);
    if (edit === undefined) return;
    if (theirs === undefined) {
      this.#put({ ...edit, isBehind: false, trouble: 'This row was deleted in the meantime' });
      this.#publishChange();
      return;
    }
    const waiting: RowData = {};
    const base: RowData = {};
    const overlaps: Overlap<string>[] = [];
    for (const [name, mine] of Object.entries(edit.waiting)) {
      const now = valueIn(theirs.data, name);
      if (now === mine) continue;
      waiting[name] = mine;
      const before = valueIn(edit.base, name);
      base[name] = now === before ? now : before;
      if (now !== before) overlaps.push({ field: name, base: before, mine, theirs: now });
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
      trouble: undefined,
    });
    this.#publishChange();
  }

  /** Resolves the conflicts of a row: the given cells keep the typed values, the other cells get the other user's values. */
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

  /** Retries refused or lost edits of all rows, or of the given ones. */
  retry(ids?: readonly number[]): void {
    const selectedIds = ids && new Set(ids);
    for (const edit of this.#rows.values()) {
      if (edit.trouble !== undefined && selectedIds?.has(edit.id) !== false) this.#put({ ...edit, trouble: undefined });
    }
    this.#publishChange();
  }

  /** Discards the edits of a row. */
  discard(id: number): void {
    const edit = this.#rows.get(id);
    if (edit !== undefined) this.#put({ ...edit, waiting: {}, conflict: undefined, trouble: undefined });
    for (const { row, field } of this.#unreadable.values())
      if (row.id === id) this.#unreadable.delete(cellOf(id, field));
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

  unreadables(): Unreadable[] {
    return [...this.#unreadable.values()];
  }

  /** The edits in the form in which they are stored for a reload. */
  snapshot(): StoredEdits {
    const rows = this.unsaved().map(({ id, key, revision, base, waiting, sending }) => ({
      id,
      key,
      revision,
      base,
      waiting: { ...sending, ...waiting },
    }));
    return { names: this.names, rows, unreadable: this.unreadables() };
  }
}
