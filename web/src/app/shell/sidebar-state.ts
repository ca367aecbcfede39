/** Stores in a cookie whether the sidebar is expanded. On small screens the sidebar is a sheet (specification §2). */
import { SIDEBAR_COOKIE_SECONDS } from '@rdm/contracts/constants';
import { useCallback, useState } from 'react';
import { useIsMobile } from '../../lib/media/index.ts';
import { useWindowKey } from '../../lib/shortcuts/index.ts';

const COOKIE = 'sidebar_state';

const wasExpanded = (): boolean => !document.cookie.split('; ').includes(`${COOKIE}=false`);

export interface SidebarState {
  isMobile: boolean;
  expanded: boolean;
  sheetOpen: boolean;
  setSheetOpen: (open: boolean) => void;
  toggle: () => void;
}

export function useSidebarState(): SidebarState {
  const isMobile = useIsMobile();
  const [expanded, setExpanded] = useState(wasExpanded);
  const [sheetOpen, setSheetOpen] = useState(false);

  const toggle = useCallback(() => {
    if (isMobile) {
      setSheetOpen((open) => !open);
      return;
    }
    setExpanded((current) => {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in some supported browsers
      document.cookie = `${COOKIE}=${!current}; path=/; max-age=${SIDEBAR_COOKIE_SECONDS}; samesite=lax`;
      return !current;
    });
  }, [isMobile]);

  useWindowKey((event) => {
    if (event.key.toLowerCase() !== 'b' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
    event.preventDefault();
    toggle();
  });

  return { isMobile, expanded, sheetOpen, setSheetOpen, toggle };
}
