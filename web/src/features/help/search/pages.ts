/**
 * Parses help pages: Markdown files with front matter. Each heading of level 2 begins a section. Each section is one
 * document of the search index.
 */
import { parse } from 'yaml';
import { z } from 'zod';

/** The groups of the table of contents, in order. */
export const GROUPS = ['Start', 'Tasks', 'Pages', 'Systems', 'Reference'] as const;

const frontMatter = z.strictObject({
  title: z.string(),
  group: z.enum(GROUPS),
  /** Position in the group, ascending. */
  order: z.number(),
  /** Paths of the application that the page explains, in React Router's syntax. */
  routes: z.array(z.string()).default([]),
  /** The questions that the page answers, in the words of a user. */
  questions: z.array(z.string()).default([]),
  keywords: z.array(z.string()).default([]),
});

export interface HelpSection {
  /** The anchor of the section; empty for the text before the first heading of level 2. */
  id: string;
  heading: string;
  markdown: string;
}

export interface HelpPage extends z.infer<typeof frontMatter> {
  id: string;
  sections: readonly HelpSection[];
}

const FRONT_MATTER = /^---\n(.*?)\n---\n/s;

/** Parses `file`, the Markdown text of the page with this id. Throws if its front matter is missing or wrong. */
export function parsePage(id: string, file: string): HelpPage {
  const source = file.replaceAll('\r\n', '\n');
  const [head, yaml] = FRONT_MATTER.exec(source) ?? [];
  if (head === undefined) throw new Error(`${id}.md does not begin with front matter between two lines “---”.`);
  const { data: fields, error } = frontMatter.safeParse(parse(yaml ?? ''));
  if (error) throw new Error(`${id}.md: ${z.prettifyError(error)}`);
  const [intro = '', ...sectionTexts] = source.slice(head.length).split(/^## /m);
  const sections = sectionTexts.map((text) => {
    const end = text.indexOf('\n');
    const heading = text.slice(0, end).trim();
    return { id: anchorOf(heading), heading, markdown: text.slice(end).trim() };
  });
  return {
    id,
    ...fields,
    sections: intro.trim() === '' ? sections : [{ id: '', heading: '', markdown: intro.trim() }, ...sections],
  };
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '');

/** The text without Markdown syntax, for the index and for excerpts. */
export const plainText = (markdown: string): string =>
  markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(?:[-*]|\d+\.|#+|>|\|[-| ]+\|$)\s*/gm, '')
    .replace(/[*`]/g, '')
    .replace(/\|/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
