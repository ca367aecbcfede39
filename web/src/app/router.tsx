/** The routes of all features. Public pages have neither the session guard nor the shell. */
import { NuqsAdapter } from 'nuqs/adapters/react-router/v7';
import { Suspense } from 'react';
import { createBrowserRouter, Outlet, parsePath, type RouteObject, type To } from 'react-router-dom';
import { ErrorDialogHost } from '../components/error-dialog/index.tsx';
import { hideBlockedPopstate } from '../components/leave-guard/index.tsx';
import { Toaster } from '../components/toast/index.ts';
import { keepMoment, pageMoment } from '../lib/api/index.ts';
import { type FeatureRoute, NavContext } from '../lib/feature/index.ts';
import { AuthErrorToasts } from './auth-error-toasts.tsx';
import { Crash } from './crash-page.tsx';
import { navEntries, routes } from './features.ts';
import { RouteGuard } from './guards/route-guard.tsx';
import { SessionGuard } from './guards/session-guard.tsx';
import { NotFound } from './not-found.tsx';
import { Loading, lazyPage, type PageHandle, pageOf } from './page.tsx';
import { SsoStart } from './sso-start.tsx';

// Loaded on demand, because the sign-in page does not need the shell.
const { Component: Shell, load: loadShell } = lazyPage(() => import('./shell/shell.tsx'));

function Root() {
  return (
    <NuqsAdapter>
      <AuthErrorToasts />
      <SsoStart />
      <Outlet />
      <Toaster />
      <ErrorDialogHost />
    </NuqsAdapter>
  );
}

function publicRoute(route: FeatureRoute): RouteObject {
  const { Page } = pageOf(route);
  return { path: route.path, element: <Page /> };
}

function guardedRoute(route: FeatureRoute): RouteObject {
  const { Page, load } = pageOf(route);
  return {
    path: route.path,
    handle: { canShowPast: route.canShowPast, title: route.title, load } satisfies PageHandle,
    element: (
      <RouteGuard>
        <Page />
      </RouteGuard>
    ),
  };
}

const isPublic = (route: FeatureRoute): boolean => route.access === 'public';

const pages = createBrowserRouter([
  {
    element: <Root />,
    errorElement: <Crash />,
    children: [
      ...routes.filter(isPublic).map(publicRoute),
      {
        element: (
          <SessionGuard>
            <Suspense fallback={<Loading />}>
              <NavContext value={navEntries}>
                <Shell />
              </NavContext>
            </Suspense>
          </SessionGuard>
        ),
        children: [
          {
            errorElement: <Crash />,
            children: [
              ...routes.filter((route) => !isPublic(route)).map(guardedRoute),
              { path: '*', element: <NotFound /> },
            ],
          },
        ],
      },
    ],
  },
]);

hideBlockedPopstate(pages);

// Loads the code of the shell and of the first page while the session is requested. React shows each fallback for at
// least 300 ms. If the page loaded after the shell, the first paint would wait for two fallbacks.
const firstPage: Partial<PageHandle> | undefined = pages.state.matches.at(-1)?.route.handle;
if (firstPage?.load) {
  loadShell();
  firstPage.load();
}

/** Adds the moment of the open page to a location. */
function atPageMoment(to: To): To {
  const path = typeof to === 'string' ? parsePath(to) : to;
  return { ...path, search: keepMoment(path.search ?? '', pageMoment()) };
}

/** Navigation within the app keeps the moment of the open page, unless a link sets another moment. */
export const router: typeof pages = Object.assign(Object.create(pages) as typeof pages, {
  createHref: (location: Parameters<typeof pages.createHref>[0]) =>
    pages.createHref(atPageMoment(location) as typeof location),
  navigate: ((to: To | number | null, options?: Parameters<typeof pages.navigate>[1]) =>
    typeof to === 'number'
      ? pages.navigate(to)
      : pages.navigate(to === null ? to : atPageMoment(to), options)) as typeof pages.navigate,
});
