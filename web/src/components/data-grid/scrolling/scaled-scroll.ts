/** The arithmetic of a scroller that is shorter than what it scrolls: browsers clamp heights that a million rows need. */

/** Far below what browsers clamp (Firefox near 17.9 M pixels, Chromium near 33.5 M), however the page is zoomed. */
export const SAFE_HEIGHT = 4_000_000;
/** So many pixels at both ends are as tall as they are, so that nobody who scrolls there by a wheel is ever put right. */
const TRUE_ENDS = 100_000;

export interface Sizes {
  count: number;
  rowHeight: number;
  /** What stays in sight above the rows. */
  headHeight: number;
  /** The height of what is seen, head and rows. */
  clientHeight: number;
}

/**
 * Where a list stands is `top`, in pixels of the rows as if they all had their place. The scroller's own position follows
 * in proportion: a thumb dragged goes through the whole list, while a wheel moves the rows by its pixels.
 */
export class ScaledScroll {
  top = 0;
  private sizes: Sizes = { count: 0, rowHeight: 1, headHeight: 0, clientHeight: 0 };
  /** The scroller's position as it was last seen or set. */
  private seen = 0;

  /** The first row in sight stays the first, whatever became of the sizes. */
  resize(sizes: Sizes): void {
    const row = this.top / this.sizes.rowHeight;
    this.sizes = sizes;
    this.top = Math.max(0, Math.min(this.lastTop, row * sizes.rowHeight));
  }

  /** How tall the scrolled content is to be. */
  get height(): number {
    return this.sizes.headHeight + Math.min(this.rowsHeight, SAFE_HEIGHT);
  }

  get bodyHeight(): number {
    return Math.max(0, this.sizes.clientHeight - this.sizes.headHeight);
  }

  get first(): number {
    return Math.min(Math.max(0, this.sizes.count - 1), Math.floor(this.top / this.sizes.rowHeight));
  }

  /** The last row of which something is seen. */
  get last(): number {
    const { count, rowHeight } = this.sizes;
    return Math.max(this.first, Math.min(count, Math.ceil((this.top + this.bodyHeight) / rowHeight)) - 1);
  }

  get atEnd(): boolean {
    return this.top > 0 && this.top >= this.lastTop;
  }

  /** Whether the scroller's position differs from the last one seen or set. */
  hasMoved(position: number): boolean {
    return Math.abs(position - this.seen) >= 1;
  }

  /** The scroller is here now; `byPixels`: a wheel or a finger moved it. Answers whether anything moved. */
  scrolled(position: number, byPixels: boolean): boolean {
    if (!this.hasMoved(position)) return false;
    const moved = position - this.seen;
    this.seen = position;
    if (!this.scaled) this.top = position;
    else if (byPixels || Math.abs(moved) <= this.bodyHeight) this.top += moved;
    else this.top = through(position, [this.room, this.lastTop]);
    this.top = Math.max(0, Math.min(this.lastTop, this.top));
    return true;
  }

  /** Near an end of the scroller while the list goes on: its position must be put right at once, else when it rests. */
  get cramped(): boolean {
    const near = this.seen < this.bodyHeight || this.seen > this.room - this.bodyHeight;
    return near && Math.abs(this.position - this.seen) > 1;
  }

  /** Where the scroller belongs. */
  get position(): number {
    return this.scaled ? through(this.top, [this.lastTop, this.room]) : this.top;
  }

  /** The scroller was put there; it may round. */
  placed(position: number): void {
    this.seen = position;
  }

  /** Moves as little as it takes to see the whole row. */
  reveal(index: number): void {
    const { rowHeight } = this.sizes;
    const start = index * rowHeight;
    if (start < this.top) this.top = start;
    else if (start + rowHeight > this.top + this.bodyHeight) this.top = start + rowHeight - this.bodyHeight;
    this.top = Math.max(0, Math.min(this.lastTop, this.top));
  }

  /** Begins the sight with the row. */
  startWith(index: number): void {
    this.top = Math.max(0, Math.min(this.lastTop, index * this.sizes.rowHeight));
  }

  private get rowsHeight(): number {
    return this.sizes.count * this.sizes.rowHeight;
  }

  private get lastTop(): number {
    return Math.max(0, this.rowsHeight - this.bodyHeight);
  }

  private get scaled(): boolean {
    return this.rowsHeight > SAFE_HEIGHT;
  }

  /** How far the scroller can go. */
  private get room(): number {
    return Math.max(0, this.height - this.sizes.clientHeight);
  }
}

/** From a place on one length to that on another: true at both ends, in proportion between them. */
function through(place: number, [from, to]: readonly [number, number]): number {
  if (place <= TRUE_ENDS) return place;
  if (place >= from - TRUE_ENDS) return to - (from - place);
  return TRUE_ENDS + ((place - TRUE_ENDS) * (to - 2 * TRUE_ENDS)) / (from - 2 * TRUE_ENDS);
}
