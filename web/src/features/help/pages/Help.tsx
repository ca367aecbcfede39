/** The documentation: topics with anchors, searchable. */
import { mayOpen } from '@rdm/contracts/access/permissions';
import { parseAsString, useQueryState } from 'nuqs';
import { useEffect } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { EmptyState } from '../../../components/empty-state/index.tsx';
import { PageHeader } from '../../../components/page/index.tsx';
import { Input } from '../../../components/ui/input.tsx';
import { useCurrentUser } from '../../../lib/auth/index.ts';
import { TOPICS } from './topics.ts';

export default function Help() {
  const user = useCurrentUser();
  const [search, setSearch] = useQueryState('q', parseAsString.withDefault(''));
  const { hash } = useLocation();
  const needle = search.trim().toLowerCase();
  const found = TOPICS.filter(({ title, paragraphs }) =>
    `${title} ${paragraphs.join(' ')}`.toLowerCase().includes(needle),
  );

  useEffect(() => {
    if (hash !== '') document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [hash]);

  return (
    <div className="mx-auto w-full max-w-4xl">
      <PageHeader title="Documentation" description="How the product works, page by page." />
      <Input
        type="search"
        aria-label="Search the documentation"
        placeholder="Search the documentation"
        className="mb-4 max-w-sm"
        value={search}
        onChange={(event) => void setSearch(event.target.value || null)}
      />
      <div className="grid gap-6 md:grid-cols-[12rem_1fr]">
        <nav aria-label="Topics">
          <ul className="flex flex-wrap gap-x-4 gap-y-1 md:sticky md:top-0 md:flex-col">
            {found.map((topic) => (
              <li key={topic.id}>
                <a href={`#${topic.id}`} className="text-accent underline">
                  {topic.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div className="flex min-w-0 flex-col gap-6">
          {found.length === 0 && <EmptyState title="Nothing matches" description="Try another word." />}
          {found.map((topic) => (
            <section key={topic.id} id={topic.id} aria-labelledby={`${topic.id}-title`} className="scroll-mt-4">
              <h2 id={`${topic.id}-title`} className="mb-1 font-semibold text-lg">
                {topic.title}
              </h2>
              {topic.paragraphs.map((paragraph) => (
                <p key={paragraph} className="mb-2 max-w-prose text-base">
                  {paragraph}
                </p>
              ))}
              {topic.page !== undefined && mayOpen(topic.page.to, user) && (
                <Link to={topic.page.to} className="text-accent underline">
                  {topic.page.label}
                </Link>
              )}
            </section>
          ))}
        </div>
      </div>
    </div>
  );
}
