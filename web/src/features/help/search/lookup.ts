/** Finds help pages: by id, by the page of the application that they explain, and by search. */
import { index, pages } from 'virtual:help';
import { matchPath } from 'react-router-dom';
import { openIndex } from './index.ts';
import { type HelpPage, type HelpSection, plainText } from './pages.ts';

export interface HelpHit {
  page: HelpPage;
  section: HelpSection;
  /** The address of the section. */
  to: string;
}

export const pageOf = (id: string): HelpPage | undefined => pages.find((page) => page.id === id);

export const addressOf = (page: HelpPage, section?: HelpSection): string =>
  `/help/${page.id}${section === undefined || section.id === '' ? '' : `#${section.id}`}`;

/** The address of the help for a page of the application; the table of contents if no help page explains this page. */
export function helpFor(path: string): string {
  const explainsPath = (page: HelpPage) => page.routes.some((route) => matchPath(route, path) !== null);
  // A help page about the route precedes a help page about a task on the route.
  const page = pages.find((each) => each.group !== 'Tasks' && explainsPath(each)) ?? pages.find(explainsPath);
  return page === undefined ? '/help' : addressOf(page);
}

let search: ((query: string) => string[]) | undefined;

/** The sections that match a query, best first. */
export function searchHelp(query: string): HelpHit[] {
  search ??= openIndex(index);
  return search(query).flatMap((id) => {
    const [pageId = '', sectionId = ''] = id.split('#');
    const page = pageOf(pageId);
    const section = page?.sections.find((each) => each.id === sectionId);
    return page === undefined || section === undefined ? [] : [{ page, section, to: addressOf(page, section) }];
  });
}

const EXCERPT_LENGTH = 160;

/** The beginning of a section, cut at a word. */
export function excerptOf({ markdown }: HelpSection): string {
  const text = plainText(markdown);
  if (text.length <= EXCERPT_LENGTH) return text;
  return `${text.slice(0, text.lastIndexOf(' ', EXCERPT_LENGTH))} …`;
}

export { pages };
