/** The section and the title of the open page, in the header of wide screens. */
import { ChevronRight } from 'lucide-react';
import { Link, useLocation } from 'react-router-dom';
import { useNavEntries } from '../../lib/feature/index.ts';
import { usePage } from '../page.tsx';
import { isActive } from './sidebar.tsx';

export function CurrentPage() {
  const { pathname } = useLocation();
  const page = usePage();
  const section = useNavEntries().find((entry) => isActive(entry, pathname));
  // The start page shows no title here. The main page of a section shows no section, because both texts would be the
  // same.
  if (page === undefined || pathname === '/') return null;
  const hidesSection = section === undefined || section.to === pathname || section.label === page.title;
  return (
    <nav aria-label="Current page" className="ml-4 hidden border-hairline border-l pl-4 text-sm lg:block">
      <ol className="flex items-center gap-1.5">
        {!hidesSection && (
          <li className="flex min-w-0 items-center gap-1.5">
            <Link to={section.to} className="truncate text-muted hover:text-ink hover:underline">
              {section.label}
            </Link>
            <ChevronRight aria-hidden="true" className="size-4 shrink-0 text-muted" />
          </li>
        )}
        <li aria-current="page" className="truncate">
          {page.title}
        </li>
      </ol>
    </nav>
  );
}
