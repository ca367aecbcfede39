/** Loads a page when it is first opened, and names the document after it. */
import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import type { FeatureRoute } from '../lib/feature/index.ts';

/** What the shell knows of the page that is open. */
export interface PageHandle {
  past: boolean | undefined;
  title: string;
}

const PRODUCT = 'Reference Data Management';

export function Loading() {
  return (
    <p role="status" className="flex h-full min-h-40 items-center justify-center text-muted">
      Loading...
    </p>
  );
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${PRODUCT}`;
  }, [title]);
}

export function pageOf(route: FeatureRoute): ComponentType {
  const Content = lazy(route.page);
  return function Page() {
    useTitle(route.title);
    return (
      <Suspense fallback={<Loading />}>
        <Content />
      </Suspense>
    );
  };
}
