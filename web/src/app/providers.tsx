/**
 * Wraps every page in the query client, tooltips and live updates. Follows the end of the session, and sign-ins in
 * other tabs.
 */
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TooltipProvider } from '../components/ui/tooltip.tsx';
import { useSessionSync } from '../lib/auth/index.ts';
import { LiveProvider } from '../lib/live/index.tsx';
import { queryClient } from './query-client.ts';

export function Providers({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      <SessionSync />
      <TooltipProvider>
        <LiveProvider>{children}</LiveProvider>
      </TooltipProvider>
    </QueryClientProvider>
  );
}

function SessionSync() {
  useSessionSync();
  return null;
}
