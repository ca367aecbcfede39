/** Facts about the screen that decide about the layout. */
import { MOBILE_BREAKPOINT_PX } from '@rdm/contracts/constants';
import { useSyncExternalStore } from 'react';

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const media = window.matchMedia(query);
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
}

export const useIsMobile = (): boolean => useMedia(`(max-width: ${MOBILE_BREAKPOINT_PX - 1}px)`);
