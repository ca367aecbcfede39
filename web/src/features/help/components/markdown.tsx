/** Renders the Markdown of a help page. Links to pages of the application open without a reload. */
import type { ReactNode } from 'react';
import Markdown, { type Components } from 'react-markdown';
import { Link } from 'react-router-dom';
import remarkGfm from 'remark-gfm';
import { Image } from '../../../components/ui/image.tsx';
import { breakableCode } from './breakable-code.tsx';

const PLUGINS = [remarkGfm];

const LINK = 'text-accent underline';

const COMPONENTS: Components = {
  p: ({ children }) => <p className="mb-2 max-w-prose text-base">{children}</p>,
  ul: ({ children }) => <ul className="mb-2 flex max-w-prose list-disc flex-col gap-1 pl-5 text-base">{children}</ul>,
  ol: ({ children }) => (
    <ol className="mb-2 flex max-w-prose list-decimal flex-col gap-1 pl-5 text-base">{children}</ol>
  ),
  a: ({ href = '', children }) =>
    href.startsWith('/') && !href.startsWith('/api') ? (
      <Link to={href} className={LINK}>
        {children}
      </Link>
    ) : (
      <a href={href} className={LINK}>
        {children}
      </a>
    ),
  img: ({ src, alt = '' }) => <Image src={src} alt={alt} className="my-2 w-full rounded-md border border-hairline" />,
  // A wide table or line of code scrolls within its own area, which is focusable so that the keyboard can scroll it.
  table: ({ children }) => (
    <ScrollArea label="Table">
      <table className="w-full text-left text-base [&_td]:border-hairline [&_td]:border-b [&_td]:py-1.5 [&_td]:pr-4 [&_td]:align-top [&_th]:border-hairline [&_th]:border-b [&_th]:py-1.5 [&_th]:pr-4 [&_th]:font-semibold">
        {children}
      </table>
    </ScrollArea>
  ),
  pre: ({ children }) => (
    <ScrollArea label="Example">
      <pre className="w-fit min-w-full rounded-md border border-hairline bg-canvas p-3 font-mono text-xs">
        {children}
      </pre>
    </ScrollArea>
  ),
  code: ({ children }) => <code className="wrap-break-word font-mono text-[0.92em]">{breakableCode(children)}</code>,
};

function ScrollArea({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls needs the focus (axe: scrollable-region-focusable)
    <section className="mb-3 overflow-x-auto" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

export function HelpText({ markdown }: { markdown: string }) {
  return (
    <Markdown remarkPlugins={PLUGINS} components={COMPONENTS}>
      {markdown}
    </Markdown>
  );
}
