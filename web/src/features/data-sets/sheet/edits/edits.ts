/**
 * Cell edits that the list does not show yet: an overlay by row id, never an edit of what was read. A cell goes from
 * waiting (typed) through sending to saved (answered), and is dropped once the list shows the row at the answered
 * revision. What was refused, or meets other people's edits, stays with its reason until somebody decides.
 */
import type { CellValue } from '@rdm/contracts/text/rows';
import type { Overlap } from '../../../../lib/conflict/index.ts';
import type { InstanceOutcome, RowData } from '../../api/instances.ts';

/** A row as it was seen. */
export interface Seen {
  id: number;
  key: string;
  revision: number;
  data: RowData;
}

export const seenOf = ({ id, key, revision, data }: Seen): Seen => ({ id, key, revision, data });

/** What a row's edit met. */
export interface Conflict {
  theirs: Seen;
  overlaps: Overlap<string>[];
}

export interface RowEdit {
  id: number;
  key: string;
  /** The revision that the edits were made on: what the server is told was seen. */
  revision: number;
  /** What the waiting and the sending cells held when they were typed over. */
  base: RowData;
  waiting: RowData;
  sending: RowData;
  saved: RowData;
  /** Somebody else was faster, and it is not known yet with what: nothing is sent before it is. */
  isBehind: boolean;
  /** Why it was not saved. */
  trouble: string | undefined;
  conflict: Conflict | undefined;
}

/** Changed cells of rows, as the server takes them. */
export type Batch = { id: number; revision: number; data: RowData }[];

export type EditMark = 'edited' | 'failed' | 'conflict';

/** What was typed into a cell and is no value of its type: it stays there, in letters, until it is mended. */
export interface Unreadable {
  row: Seen;
  field: string;
  text: string;
  reason: string;
}

/** Edits that outlive a reload, and which fields their names meant. */
export interface KeptEdits {
  names: Readonly<Record<string, number>>;
  rows: Pick<RowEdit, 'id' | 'key' | 'revision' | 'base' | 'waiting'>[];
  unreadable: Unreadable[];
}

/** Edits of one row that are taken while a cell of it is typed into: hardly more than one. */
const TAKEN_MAX = 8;

const cellOf = (id: number, field: string): string => `${id} ${field}`;
const isEmpty = (cells: RowData): boolean => Object.keys(cells).length === 0;
const valueIn = (cells: RowData, name: string): CellValue => cells[name] ?? null;

export class Edits {
  readonly #rows = new Map<number, RowEdit>();
  readonly #listeners = new Set<() => void>();
  readonly #unreadable = new Map<string, Unreadable>();
  /** By row id, the newest last: what the server took, for whoever goes on from a row as it was read before. */
  readonly #taken = new Map<number, { revision: number; cells: RowData }[]>();
  readonly #stamps = new Map<number, number>();
  #version = 0;

  /** Which fields the names of cells mean, as long as this lives. */
  readonly names: KeptEdits['names'];

  constructor(kept: KeptEdits = { names: {}, rows: [], unreadable: [] }) {
    this.names = kept.names;
    for (const row of kept.rows) {
      this.#rows.set(row.id, {
        ...row,
        sending: {},
        saved: {},
        isBehind: false,
        trouble: undefined,
        conflict: undefined,
      });
    }
    for (const cell of kept.unreadable) this.#unreadable.set(cellOf(cell.row.id, cell.field), cell);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  /** Changes whenever anything did. */
  version = (): number => this.#version;

  /** Changes whenever something of the row did. */
  stamp = (id: number): number => this.#stamps.get(id) ?? 0;

  #touch(id: number): void {
    this.#stamps.set(id, this.stamp(id) + 1);
  }

  #changed(): void {
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

  /** What a cell shows: the newest of what was typed, sent and answered, else what was read. */
  value(row: Seen, name: string): CellValue {
    const edit = this.#rows.get(row.id);
    for (const cells of edit === undefined ? [] : [edit.waiting, edit.sending, edit.saved]) {
      if (name in cells) return valueIn(cells, name);
    }
    return valueIn(this.since(row).data, name);
  }

  /**
   * A row that was read before the server took edits of it: with those. Its revision goes no further than they follow on
   * it one by one: what others wrote in between was not seen.
   */
  since(row: Seen): Seen {
    const taken = this.#taken.get(row.id)?.filter(({ revision }) => revision > row.revision) ?? [];
    if (taken.length === 0) return row;
    let at = row.revision;
    for (const { revision } of taken) if (revision === at + 1) at = revision;
    return { ...row, revision: at, data: Object.assign({}, row.data, ...taken.map(({ cells }) => cells)) };
  }

  /** Does any cell of the row say other than what was read? */
  holds(id: number): boolean {
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
    const met = edit.conflict?.overlaps.some(({ field }) => field === name) ?? false;
    if (met) return { mark: 'conflict', note: 'Somebody else changed this cell meanwhile: choose which value stands' };
    return { mark: edit.trouble === undefined ? 'edited' : 'failed', note: edit.trouble };
  }

  /** Writes over cells of rows. What says what the row holds anyway is no edit. */
  edit(...changes: readonly { row: Seen; cells: RowData }[]): void {
    for (const { row, cells } of changes) this.#write(row, cells);
    this.#changed();
  }

  #write(read: Seen, cells: RowData): void {
    const row = this.since(read);
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
      const below =
        name in edit.sending
          ? edit.sending
          : name in edit.saved
            ? edit.saved
            : name in edit.base
              ? edit.base
              : row.data;
      if (valueIn(below, name) === value) delete waiting[name];
      else waiting[name] = value;
      if (!(name in base)) base[name] = valueIn(below, name);
    }
    // A cell that was seen before others wrote into the row goes as it was seen.
    const revision = isEmpty(edit.sending) ? Math.min(edit.revision, row.revision) : edit.revision;
    // The trouble was with what was there before.
    this.#put({ ...edit, revision, base, waiting, trouble: undefined });
  }

  /** Keeps what was typed where it cannot be a value. */
  keepUnreadable(cell: Unreadable): void {
    this.#unreadable.set(cellOf(cell.row.id, cell.field), cell);
    this.#touch(cell.row.id);
    this.#changed();
  }

  /** What was kept in letters is decided elsewhere. */
  forget(id: number, field: string): void {
    if (!this.#unreadable.delete(cellOf(id, field))) return;
    this.#touch(id);
    this.#changed();
  }

  /** Rows whose waiting cells may go now; they are sending until answered. */
  take(most: number): Batch {
    const batch: Batch = [];
    for (const edit of this.#rows.values()) {
      if (batch.length === most) break;
      if (isEmpty(edit.waiting) || !isEmpty(edit.sending) || edit.isBehind) continue;
      if (edit.trouble !== undefined || edit.conflict !== undefined) continue;
      batch.push({ id: edit.id, revision: edit.revision, data: edit.waiting });
      this.#put({ ...edit, sending: edit.waiting, waiting: {} });
    }
    if (batch.length > 0) this.#changed();
    return batch;
  }

  /** Answers of the server. Returns the ids of rows that somebody else changed meanwhile. */
  answered(batch: Batch, results: readonly InstanceOutcome[]): number[] {
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
        const taken = [...(this.#taken.get(id) ?? []), { revision: result.revision, cells: edit.sending }];
        this.#taken.set(id, taken.slice(-TAKEN_MAX));
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
      this.#back({ ...edit, isBehind }, isBehind ? undefined : (result?.message ?? 'The server did not answer for it'));
    }
    this.#changed();
    return stale;
  }

  /** What was sending waits again; what was typed since is newer. */
  #back(edit: RowEdit, trouble: string | undefined): void {
    this.#put({ ...edit, waiting: { ...edit.sending, ...edit.waiting }, sending: {}, trouble });
  }

  /** The batch never arrived, or was refused as a whole. */
  failed(batch: Batch, why: string): void {
    for (const { id } of batch) {
      const edit = this.#rows.get(id);
      if (edit !== undefined) this.#back({ ...edit, isBehind: false }, why);
    }
    this.#changed();
  }

  /** The row as others made it: disjoint cells go on waiting on top of it, overlapping ones are asked about. */
  met(id: number, theirs: Seen | undefined): void {
    const edit = this.#rows.get(id);
    if (edit === undefined) return;
    if (theirs === undefined) {
      this.#put({ ...edit, isBehind: false, trouble: 'Somebody deleted this row meanwhile' });
      this.#changed();
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
    this.#changed();
  }

  /** Of the cells that overlap, those named stand as typed; the others become theirs. */
  resolve(id: number, mine: ReadonlySet<string>): void {
    const edit = this.#rows.get(id);
    if (edit?.conflict === undefined) return;
    const { theirs, overlaps } = edit.conflict;
    const waiting = { ...edit.waiting };
    for (const { field } of overlaps) if (!mine.has(field)) delete waiting[field];
    const base = Object.fromEntries(Object.keys(waiting).map((name) => [name, valueIn(theirs.data, name)]));
    this.#put({ ...edit, revision: theirs.revision, base, waiting, conflict: undefined });
    this.#changed();
  }

  /** Lets what was refused or never arrived go once more: of all rows, or of those named. */
  retry(ids?: readonly number[]): void {
    const named = ids && new Set(ids);
    for (const edit of this.#rows.values()) {
      if (edit.trouble !== undefined && named?.has(edit.id) !== false) this.#put({ ...edit, trouble: undefined });
    }
    this.#changed();
  }

  /** Gives the edits of a row up, as its person decided. */
  discard(id: number): void {
    const edit = this.#rows.get(id);
    if (edit !== undefined) this.#put({ ...edit, waiting: {}, conflict: undefined, trouble: undefined });
    for (const { row, field } of this.#unreadable.values())
      if (row.id === id) this.#unreadable.delete(cellOf(id, field));
    this.#changed();
  }

  /** The list shows rows anew: what they hold by now needs no overlay. */
  shown(rows: readonly Pick<Seen, 'id' | 'revision'>[]): void {
    let dropped = false;
    for (const { id, revision } of rows) {
      const edit = this.#rows.get(id);
      if (edit === undefined || isEmpty(edit.saved) || revision < edit.revision) continue;
      this.#put({ ...edit, saved: {} });
      dropped = true;
    }
    if (dropped) this.#changed();
  }

  /** Rows of which something is not stored. */
  unsaved(): RowEdit[] {
    return [...this.#rows.values()].filter((edit) => !isEmpty(edit.waiting) || !isEmpty(edit.sending));
  }

  unreadables(): Unreadable[] {
    return [...this.#unreadable.values()];
  }

  /** What a reload must not lose. */
  kept(): KeptEdits {
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
