/** The documentation: a table of contents beside an overview, a help page or search results. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import { useQuery } from '@tanstack/react-query';
import { parseAsString, useQueryState } from 'nuqs';
import { useEffect } from 'react';
import { Link, NavLink, useLocation, useParams } from 'react-router-dom';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Input } from '../../../components/ui/input.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { addressOfOperation, apiDocumentQuery, findOperations } from '../api/api-document.ts';
import { ApiReference } from '../components/ApiReference.tsx';
import { HelpText } from '../components/markdown.tsx';
import { addressOf, excerptOf, pageOf, pages, searchHelp } from '../search/lookup.ts';
import { GROUPS, type HelpPage } from '../search/pages.ts';

const RESULTS_MAX = 20;
/** The page that also shows the OpenAPI document. */
const API_REFERENCE = 'api-reference';

export default function Help() {
  const { page: id } = useParams();
  const [query, setQuery] = useQueryState('q', parseAsString.withDefault(''));
  const page = id === undefined ? undefined : pageOf(id);
  return (
    <div className="mx-auto w-full max-w-5xl">
      <PageHeader title="Documentation" description="How the product works, by task and by page." />
      <Input
        type="search"
        aria-label="Search the documentation"
        placeholder="Search: a question, a word, or a message"
        className="mb-4 max-w-md"
        value={query}
        onChange={(event) => void setQuery(event.target.value || null)}
      />
      <div className="grid gap-6 md:grid-cols-[13rem_1fr]">
        <nav aria-label="Topics" className={id === undefined ? 'max-md:hidden' : 'max-md:order-last'}>
          <Contents />
        </nav>
        <div className="min-w-0">
          {query.trim() !== '' ? (
            <Results query={query} />
          ) : id === undefined ? (
            <Overview />
          ) : page === undefined ? (
            <EmptyState title="There is no such help page" description="Search, or choose a page from the list." />
          ) : (
            <Page page={page} />
          )}
        </div>
      </div>
    </div>
  );
}

function Contents() {
  return (
    <div className="flex flex-col gap-4 md:sticky md:top-0">
      {GROUPS.map((group) => (
        <div key={group}>
          <h2 className="mb-1 font-semibold text-muted text-xs">{group}</h2>
          <ul className="flex flex-col gap-1">
            {pages
              .filter((page) => page.group === group)
              .map((page) => (
                <li key={page.id}>
                  <NavLink
                    to={addressOf(page)}
                    className={({ isActive }) => (isActive ? 'font-semibold' : 'text-accent hover:underline')}
                  >
                    {page.title}
                  </NavLink>
                </li>
              ))}
          </ul>
        </div>
      ))}
    </div>
  );
}

/** All help pages, each with a question that it answers, for users who do not know a search word. */
function Overview() {
  return (
    <div className="flex flex-col gap-6">
      {GROUPS.map((group) => (
        <section key={group} aria-labelledby={`group-${group}`}>
          <h2 id={`group-${group}`} className="mb-2 font-semibold text-lg">
            {group}
          </h2>
          <ul className="grid gap-2 sm:grid-cols-2">
            {pages
              .filter((page) => page.group === group)
              .map((page) => (
                <li key={page.id}>
                  <Link
                    to={addressOf(page)}
                    className="block h-full rounded-md border border-hairline bg-surface p-3 hover:bg-hover"
                  >
                    <span className="block font-medium">{page.title}</span>
                    <span className="block text-muted">{page.questions[0]}</span>
                  </Link>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Results({ query }: { query: string }) {
  const hits = searchHelp(query).slice(0, RESULTS_MAX);
  const { data: document } = useQuery(apiDocumentQuery);
  const operations = document ? findOperations(document, query).slice(0, RESULTS_MAX) : [];
  return (
    <section aria-label="Results">
      <p role="status" className="mb-2 text-muted">
        {hits.length + operations.length === 0
          ? 'Nothing matches. Try another word.'
          : resultsText(hits.length, operations.length)}
      </p>
      <ol className="divide-y divide-hairline">
        {hits.map(({ page, section, to }) => (
          <li key={to} className="py-2">
            <Link to={to} className="font-medium text-accent hover:underline">
              {section.heading === '' ? page.title : `${page.title} › ${section.heading}`}
            </Link>
            <p className="max-w-prose text-muted">{excerptOf(section)}</p>
          </li>
        ))}
        {operations.map((operation) => (
          <li key={operation.operationId} className="py-2">
            <Link to={addressOfOperation(operation)} className="font-medium text-accent hover:underline">
              {`API reference › ${operation.summary}`}
            </Link>
            <p className="wrap-anywhere max-w-prose font-mono text-muted text-xs">
              {operation.method} {operation.path}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

const countText = (count: number, word: string): string => `${count} ${count === 1 ? word : `${word}s`}`;

const resultsText = (sections: number, operations: number): string =>
  [countText(sections, 'section'), ...(operations === 0 ? [] : [countText(operations, 'API operation')])].join(', ');

function Page({ page }: { page: HelpPage }) {
  const user = useCurrentUser();
  const { hash } = useLocation();
  useEffect(() => {
    if (hash !== '') document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView();
  }, [hash]);
  // Skips routes with a parameter, because its value is unknown here.
  const route = page.routes.find((each) => !each.includes(':') && mayOpen(each, user));
  return (
    <article aria-labelledby="help-title">
      <h2 id="help-title" className="mb-2 font-semibold text-lg">
        {page.title}
      </h2>
      {page.sections.map((section) => (
        <section key={section.id} id={section.id || undefined} className="mb-5 scroll-mt-4">
          {section.heading !== '' && <h3 className="mb-1 font-semibold text-base">{section.heading}</h3>}
          <HelpText markdown={section.markdown} />
        </section>
      ))}
      {page.id === API_REFERENCE && <ApiReference />}
      {route !== undefined && (
        <Link to={route} className="text-accent underline">
          Open the page described here
        </Link>
      )}
    </article>
  );
}
