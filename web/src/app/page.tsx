/** Loads pages on demand, and sets the title of the document. */
import { type ComponentType, lazy, Suspense, useEffect } from 'react';
import { useMatches } from 'react-router-dom';
import type { FeatureRoute } from '../lib/feature/index.ts';

/** The data of the open page that the shell needs. */
export interface PageHandle {
  canShowPast: boolean | undefined;
  title: string;
  /** Loads the page's code before the page is rendered. */
  load: () => void;
}

export const usePage = (): PageHandle | undefined => useMatches().at(-1)?.handle as PageHandle | undefined;

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

export function pageOf(route: FeatureRoute): { Page: ComponentType; load: () => void } {
  const { Component: Content, load } = lazyPage(route.page);
  function Page() {
    useTitle(route.title);
    return (
      <Suspense fallback={<Loading />}>
        <Content />
      </Suspense>
    );
  }
  return { Page, load };
}

/** A lazy component whose code can be requested before it is rendered. */
export function lazyPage(load: () => Promise<{ default: ComponentType }>) {
  let loading: ReturnType<typeof load> | undefined;
  const loadOnce = () => {
    loading ??= load();
    return loading;
  };
  return {
    Component: lazy(loadOnce),
    load: () => {
      // Ignore the error here: the component throws it when it is rendered.
      loadOnce().catch(() => undefined);
    },
  };
}
