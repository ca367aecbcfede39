/** Searches the help. The index is built with the bundle and has one document for each section of a page. */
import MiniSearch, { type Options } from 'minisearch';
import { type HelpPage, plainText } from './pages.ts';
import { synonymsOf } from './synonyms.ts';
import { termOf } from './terms.ts';

interface IndexedSection {
  /** The id of the page and the anchor of the section: `page#section`. */
  id: string;
  title: string;
  heading: string;
  questions: string;
  keywords: string;
  text: string;
}

const OPTIONS: Options<IndexedSection> = {
  fields: ['title', 'heading', 'questions', 'keywords', 'text'],
  processTerm: termOf,
  searchOptions: {
    boost: { title: 4, heading: 3, questions: 3, keywords: 2 },
    processTerm: termOf,
    // Only the last word also matches as a prefix, because the user can still be typing it.
    prefix: (_term, index, terms) => index === terms.length - 1,
    fuzzy: (term) => (term.length >= 5 ? 1 : false),
  },
};

const RESULTS_MIN = 3;

/** Builds the index of the pages, with synonyms, as JSON. Vite calls this during the build. */
export function buildIndex(pages: readonly HelpPage[]): string {
  const index = new MiniSearch<IndexedSection>({
    ...OPTIONS,
    processTerm: (word) => {
      const term = termOf(word);
      return term === null ? null : [...new Set([term, ...synonymsOf(term)])];
    },
  });
  for (const page of pages)
    for (const [position, section] of page.sections.entries())
      index.add({
        id: `${page.id}#${section.id}`,
        title: page.title,
        heading: section.heading,
        // The questions and keywords of a page are indexed only with its first section.
        questions: position === 0 ? page.questions.join(' ') : '',
        keywords: position === 0 ? page.keywords.join(' ') : '',
        text: plainText(section.markdown),
      });
  return JSON.stringify(index);
}

/**
 * Opens an index made by `buildIndex` and returns its search. A search returns the ids `page#section` of the sections
 * with all words. If these are fewer than `RESULTS_MIN`, it adds sections with half of the words, then with any word.
 */
export function openIndex(json: string): (query: string) => string[] {
  const index = MiniSearch.loadJSON<IndexedSection>(json, OPTIONS);
  return (query) => {
    const ids = new Set<string>();
    for (const options of [
      { combineWith: 'AND' },
      { combineWith: 'OR', filter: containsHalf(query) },
      { combineWith: 'OR' },
    ] as const) {
      for (const { id } of index.search(query, options)) ids.add(String(id));
      if (ids.size >= RESULTS_MIN) break;
    }
    return [...ids];
  };
}

/** Returns a filter of the results that contain at least half of the words of the query. */
const containsHalf = (query: string) => {
  const words = query.split(/\s+/).filter((word) => termOf(word) !== null).length;
  return ({ queryTerms }: { queryTerms: string[] }) => new Set(queryTerms).size * 2 >= words;
};
