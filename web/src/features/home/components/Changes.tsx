/** Describes the latest changes by others in the user's data sets, one sentence per change. */
import { HOME_CHANGES_SHOWN, type HomeChange } from '@rdm/contracts/home/home';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { Loaded } from '../../../components/empty-state/loaded.tsx';
import { RelativeTime } from '../../../components/timeline/index.tsx';
import { Button } from '../../../components/ui/button.tsx';
import { totalText } from '../../../lib/number-format.ts';
import { changesQuery } from '../api/home.ts';

/** Paths of the pages of changed entities, by subject type. */
const PAGES: Readonly<Record<string, (id: number) => string>> = {
  dataSet: (id) => `/reference-data/${id}`,
  crosswalk: (id) => `/crosswalks/${id}/mappings`,
  relationship: (id) => `/relationships/${id}/values`,
};

export function Changes({ previousVisitAt }: { previousVisitAt: string | null }) {
  const [shownCount, setShownCount] = useState<number>(HOME_CHANGES_SHOWN[0]);
  const changes = useQuery(changesQuery(shownCount));
  const nextCount = HOME_CHANGES_SHOWN.find((count) => count > shownCount);
  return (
    <section aria-labelledby="changes">
      <h2 id="changes" className="mb-2 font-semibold text-base">
        {previousVisitAt === null ? 'Changes by others in the last 7 days' : 'Changes by others since your last visit'}
      </h2>
      <div className="rounded-md border border-hairline bg-surface">
        <Loaded result={changes}>
          {({ items, total }) =>
            items.length === 0 ? (
              <p className="px-4 py-3 text-muted">No changes by others in your data sets.</p>
            ) : (
              <>
                <ul className="divide-y divide-hairline">
                  {items.map((change) => (
                    <Change key={change.id} change={change} />
                  ))}
                </ul>
                {total !== items.length && (
                  <div className="flex items-center justify-between gap-x-4 border-hairline border-t px-4 py-2">
                    <p className="text-muted">
                      The latest {items.length} of {totalText(total)}.
                    </p>
                    {nextCount !== undefined && (
                      <Button size="sm" onClick={() => setShownCount(nextCount)}>
                        Show more
                      </Button>
                    )}
                  </div>
                )}
              </>
            )
          }
        </Loaded>
      </div>
    </section>
  );
}

function Change({ change: { line, timestamp, subjectType, subjectId } }: { change: HomeChange }) {
  const page = PAGES[subjectType];
  return (
    <li className="flex items-baseline justify-between gap-x-4 px-4 py-2">
      <span className="wrap-anywhere min-w-0">
        {page === undefined || subjectId === null ? (
          line
        ) : (
          <Link to={page(subjectId)} className="underline-offset-4 hover:underline">
            {line}
          </Link>
        )}
      </span>
      <span className="shrink-0 text-muted text-xs">
        <RelativeTime at={timestamp} />
      </span>
    </li>
  );
}
