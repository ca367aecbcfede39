import { describe, expect, it } from 'vitest';
import { PAGE_SIZE, type Page, PageCache } from './page-cache.ts';

function load(cache: PageCache, filePages: (Page | undefined)[], number: number): Page {
  const page = cache.take();
  Object.assign(page, { filePages, number, isRecent: true });
  filePages[number] = page;
  return page;
}

describe('a page cache', () => {
  it('keeps pages up to its size', () => {
    const cache = new PageCache(3 * PAGE_SIZE);
    const pages: (Page | undefined)[] = [];
    for (let number = 0; number < 10; number += 1) load(cache, pages, number);
    expect(pages.filter((page) => page !== undefined)).toHaveLength(3);
  });

  it('drops other pages, and keeps a page that is read again before each load', () => {
    const cache = new PageCache(3 * PAGE_SIZE);
    const pages: (Page | undefined)[] = [];
    const hot = load(cache, pages, 0);
    for (let number = 1; number < 10; number += 1) {
      hot.isRecent = true;
      for (const page of pages) if (page && page !== hot) page.isRecent = false;
      load(cache, pages, number);
      expect(pages[0]).toBe(hot);
    }
  });

  it('keeps one page even if the size of the cache is smaller than a page', () => {
    const pages: (Page | undefined)[] = [];
    const cache = new PageCache(1);
    load(cache, pages, 0);
    load(cache, pages, 1);
    expect(pages.map((page) => page !== undefined)).toEqual([false, true]);
  });
});
