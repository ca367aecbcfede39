/** Caches recently read pages of index files, up to a size. */

export const PAGE_SIZE = 4096;
export const PAGE_WORDS = PAGE_SIZE / 4;

export interface Page {
  readonly bytes: Buffer;
  readonly words: Uint32Array;
  /** Whether the page was read after the cache last considered it for removal. */
  isRecent: boolean;
  /** The cached pages of the index file, by page number. */
  filePages: (Page | undefined)[];
  /** The number of this page in `filePages`. */
  number: number;
}

export class PageCache {
  readonly #capacity: number;
  readonly #pages: Page[] = [];
  /** The hand of the clock algorithm: the index of the page that is considered next for removal. */
  #hand = 0;

  /** `size` is in bytes. */
  constructor(size: number) {
    this.#capacity = Math.max(1, Math.floor(size / PAGE_SIZE));
  }

  /** Returns a page to overwrite, after removing it from the cached pages of its former file. */
  take(): Page {
    if (this.#pages.length < this.#capacity) {
      const bytes = Buffer.allocUnsafeSlow(PAGE_SIZE);
      const words = new Uint32Array(bytes.buffer, bytes.byteOffset, PAGE_WORDS);
      const page = { bytes, words, isRecent: false, filePages: [], number: 0 };
      this.#pages.push(page);
      return page;
    }
    for (;;) {
      const page = this.#pages[this.#hand];
      this.#hand = (this.#hand + 1) % this.#pages.length;
      if (page === undefined) throw new RangeError('the page cache has no page');
      if (page.isRecent) page.isRecent = false;
      else {
        page.filePages[page.number] = undefined;
        return page;
      }
    }
  }
}
