/** Information about the browser. */
import { useSyncExternalStore } from 'react';

export interface BrowserFacts {
  userAgent: string;
  windowSize: string;
  timeZone: string | undefined;
  language: string;
}

const windowSize = () => `${window.innerWidth} × ${window.innerHeight}`;

function onResize(listener: () => void) {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}

export function useBrowser(): BrowserFacts {
  return {
    userAgent: navigator.userAgent,
    windowSize: useSyncExternalStore(onResize, windowSize),
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: navigator.language,
  };
}
