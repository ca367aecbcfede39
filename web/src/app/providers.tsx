/** The providers around every page: query client, tooltips, session end, socket. */
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { TooltipProvider } from '../components/ui/tooltip.tsx';
import { useSessionEnd } from '../lib/auth/index.ts';
import { LiveProvider } from '../lib/live/index.tsx';
import { queryClient } from './query-client.ts';

export function Providers({ children }: { children: ReactNode }) {
  return (
    <QueryClientProvider client={queryClient}>
      <SessionEnd />
      <TooltipProvider>
        <LiveProvider>{children}</LiveProvider>
      </TooltipProvider>
    </QueryClientProvider>
  );
}

function SessionEnd() {
  useSessionEnd();
  return null;
}
