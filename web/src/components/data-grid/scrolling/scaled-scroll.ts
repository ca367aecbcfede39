/**
 * Calculates the positions of a scroller whose content is shorter than the list, because browsers limit the height of
 * an element to less than the height of a million rows.
 */

/** In pixels: far below the limits of browsers, about 17.9 million in Firefox and 33.5 million in Chromium. */
export const SAFE_HEIGHT = 4_000_000;
/** The pixels at each end that are not scaled: the wheel scrolls there without a correction. */
const UNSCALED_ENDS = 100_000;

export interface Sizes {
  count: number;
  rowHeight: number;
  /** The height of the header. */
  headHeight: number;
  /** The visible height of header and rows together. */
  clientHeight: number;
}

/**
 * `top` is the position of the list in unscaled pixels. In a list higher than `SAFE_HEIGHT`, dragging the scrollbar
 * moves through the whole list; a wheel, a touch or a short move scrolls pixel by pixel.
 */
export class ScaledScroll {
  top = 0;
  private sizes: Sizes = { count: 0, rowHeight: 1, headHeight: 0, clientHeight: 0 };
  /** The last known position of the scroller. */
  private knownPosition = 0;

  /** Changes the sizes. The first visible row stays the same. */
  resize(sizes: Sizes): void {
    const row = this.top / this.sizes.rowHeight;
    this.sizes = sizes;
    this.top = Math.max(0, Math.min(this.maxTop, row * sizes.rowHeight));
  }

  /** The height of the scrolled content. */
  get height(): number {
    return this.sizes.headHeight + Math.min(this.rowsHeight, SAFE_HEIGHT);
  }

  get bodyHeight(): number {
    return Math.max(0, this.sizes.clientHeight - this.sizes.headHeight);
  }

  get first(): number {
    return Math.min(Math.max(0, this.sizes.count - 1), Math.floor(this.top / this.sizes.rowHeight));
  }

  /** The last row that is at least partly visible. */
  get last(): number {
    const { count, rowHeight } = this.sizes;
    return Math.max(this.first, Math.min(count, Math.ceil((this.top + this.bodyHeight) / rowHeight)) - 1);
  }

  get atEnd(): boolean {
    return this.top > 0 && this.top >= this.maxTop;
  }

  /** Whether the scroller has moved since its position was last read or set. */
  hasMoved(position: number): boolean {
    return Math.abs(position - this.knownPosition) >= 1;
  }

  /**
   * Handles a new position of the scroller; returns false if the scroller has not moved. `byPixels` is true for a wheel
   * or a touch.
   */
  handleScroll(position: number, byPixels: boolean): boolean {
    if (!this.hasMoved(position)) return false;
    const distance = position - this.knownPosition;
    this.knownPosition = position;
    if (!this.scaled) this.top = position;
    else if (byPixels || Math.abs(distance) <= this.bodyHeight) this.top += distance;
    else this.top = convertPosition(position, [this.range, this.maxTop]);
    this.top = Math.max(0, Math.min(this.maxTop, this.top));
    return true;
  }

  /**
   * Whether the scroller is near an end but not at `position`. The caller must then set `position` at once, during the
   * scrolling.
   */
  get mustCorrectNow(): boolean {
    const near = this.knownPosition < this.bodyHeight || this.knownPosition > this.range - this.bodyHeight;
    return near && Math.abs(this.position - this.knownPosition) > 1;
  }

  /** The position that the scroller should have for `top`. */
  get position(): number {
    return this.scaled ? convertPosition(this.top, [this.maxTop, this.range]) : this.top;
  }

  /** Stores the position that the caller has set, as the browser rounded it. */
  setPosition(position: number): void {
    this.knownPosition = position;
  }

  /** Scrolls as little as necessary to show the whole row. */
  reveal(index: number): void {
    const { rowHeight } = this.sizes;
    const start = index * rowHeight;
    if (start < this.top) this.top = start;
    else if (start + rowHeight > this.top + this.bodyHeight) this.top = start + rowHeight - this.bodyHeight;
    this.top = Math.max(0, Math.min(this.maxTop, this.top));
  }

  /** Scrolls the row to the top; if too few rows follow, scrolls to the end of the list. */
  startWith(index: number): void {
    this.top = Math.max(0, Math.min(this.maxTop, index * this.sizes.rowHeight));
  }

  private get rowsHeight(): number {
    return this.sizes.count * this.sizes.rowHeight;
  }

  private get maxTop(): number {
    return Math.max(0, this.rowsHeight - this.bodyHeight);
  }

  private get scaled(): boolean {
    return this.rowsHeight > SAFE_HEIGHT;
  }

  /** The highest position of the scroller. */
  private get range(): number {
    return Math.max(0, this.height - this.sizes.clientHeight);
  }
}

/**
 * Converts a position from a range of `from` pixels to a range of `to` pixels. Positions near an end are not scaled.
 */
function convertPosition(position: number, [from, to]: readonly [number, number]): number {
  if (position <= UNSCALED_ENDS) return position;
  if (position >= from - UNSCALED_ENDS) return to - (from - position);
  return UNSCALED_ENDS + ((position - UNSCALED_ENDS) * (to - 2 * UNSCALED_ENDS)) / (from - 2 * UNSCALED_ENDS);
}
