/** The module that `help-plugin.ts` builds from the Markdown files of this feature. */
declare module 'virtual:help' {
  export const pages: readonly import('./search/pages.ts').HelpPage[];
  /** The index of the search as JSON. */
  export const index: string;
}
