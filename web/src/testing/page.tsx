/** Renders a page in a spec, for a user or without a session, with a fake server. */
import type { CurrentUser } from '@rdm/contracts/identity/identity';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render } from '@testing-library/react';
import { NuqsAdapter } from 'nuqs/adapters/react-router/v7';
import type { ReactNode } from 'react';
import { createBrowserRouter, RouterProvider } from 'react-router-dom';
import { vi } from 'vitest';
import { ErrorDialogHost } from '../components/error-dialog/index.tsx';
import { hideBlockedPopstate } from '../components/leave-guard/index.tsx';
import { Toaster } from '../components/toast/index.ts';
import { TooltipProvider } from '../components/ui/tooltip.tsx';
import { forgetAnswers } from '../lib/api/index.ts';
import { CurrentUserContext, userQuery } from '../lib/auth/index.ts';

export const steward: CurrentUser = {
  id: 2,
  username: 'steward',
  email: 'steward@example.org',
  displayName: null,
  roleId: 2,
  roleName: 'Steward',
  isAdmin: false,
  routes: ['/reference-types', '/collections'],
  permissions: ['types.write'],
  authProvider: 'local',
  requirePasswordChange: false,
};

export interface Reply {
  status?: number;
  statusText?: string;
  body?: unknown;
}

export interface Sent {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  headers: Headers;
}

type Answer = Reply | ((sent: Sent) => Reply);

export interface FakeServer {
  sent: Sent[];
  /** Changes the response of a request, such as `GET /api/things`. */
  on: (call: string, answer: Answer) => void;
}

/**
 * Stubs `fetch` with the given responses. Other requests get a 404: without a response, the client would repeat the
 * request during another test.
 */
export function fakeServer(answers: Record<string, Answer>): FakeServer {
  const answerOf = new Map(Object.entries(answers));
  const sent: Sent[] = [];
  forgetAnswers();
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    const [path = '', query = ''] = url.split('?');
    const body = typeof init.body === 'string' ? JSON.parse(init.body) : init.body;
    const call: Sent = {
      method: init.method ?? 'GET',
      path,
      query: new URLSearchParams(query),
      body,
      headers: new Headers(init.headers),
    };
    sent.push(call);
    const unanswered: Reply = { status: 404, body: { error: `The spec does not answer ${call.method} ${url}` } };
    const answer = answerOf.get(`${call.method} ${path}`) ?? unanswered;
    const reply = typeof answer === 'function' ? answer(call) : answer;
    return new Response(JSON.stringify(reply.body ?? {}), {
      status: reply.status ?? 200,
      statusText: reply.statusText ?? '',
      headers: { 'Content-Type': 'application/json' },
    });
  });
  return { sent, on: (call, answer) => answerOf.set(call, answer) };
}

export function showPage(page: ReactNode, { user = steward as CurrentUser | null, at = '/' } = {}) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(userQuery.queryKey, user);
  const element = (
    <NuqsAdapter>
      <CurrentUserContext value={user}>{page}</CurrentUserContext>
      <Toaster />
      <ErrorDialogHost />
    </NuqsAdapter>
  );
  // The list state writes to the real URL, so the spec uses the real history too.
  window.history.replaceState(null, '', at);
  const router = createBrowserRouter([{ path: '*', element }]);
  hideBlockedPopstate(router);
  const rendered = render(
    <QueryClientProvider client={queries}>
      <TooltipProvider>
        <RouterProvider router={router} />
      </TooltipProvider>
    </QueryClientProvider>,
  );
  return { ...rendered, queries, router };
}
