/** The frame around every page behind the sign-in. */
import { useEffect, useRef, useState } from 'react';
import { Link, Outlet, useLocation } from 'react-router-dom';
import { showWelcome } from '../../lib/auth/sso.ts';
import { MomentContext } from '../../lib/past/index.ts';
import { isShortcut, useWindowKey } from '../../lib/shortcuts/index.ts';
import { SessionTimeout } from '../session/session-timeout.tsx';
import { BackToTop } from './back-to-top.tsx';
import { ConnectionBar } from './connection-bar.tsx';
import { Header } from './header.tsx';
import { PaletteLoader } from './palette/palette-loader.tsx';
import { MomentProvider, PastBanner, useUrlMoment } from './past-view.tsx';
import { ShortcutsDialog } from './shortcuts-dialog.tsx';
import { Sidebar } from './sidebar.tsx';
import { useSidebarState } from './sidebar-state.ts';
import { ZoomControl } from './zoom-control.tsx';

export default function Shell() {
  const sidebar = useSidebarState();
  const { pathname } = useLocation();
  const moment = useUrlMoment();
  const scroller = useRef<HTMLDivElement>(null);
  const [palette, setPalette] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);

  useEffect(showWelcome, []);

  useEffect(() => void scroller.current?.scrollTo(0, 0), [pathname]);

  useWindowKey((event) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
      event.preventDefault();
      setPalette((open) => !open);
    } else if (event.key === '?' && isShortcut(event)) {
      event.preventDefault();
      setShortcuts(true);
    }
  });

  return (
    <MomentContext value={moment}>
      <div className="flex h-full">
        <a
          href="#main"
          className="sr-only z-50 rounded-md border border-accent bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        >
          Skip to content
        </a>
        <Sidebar state={sidebar} />
        <div className="flex min-w-0 flex-1 flex-col">
          <Header sidebar={sidebar} onSearch={() => setPalette(true)} />
          <ConnectionBar />
          <PastBanner />
          {/* `relative`, because visually hidden controls would otherwise make the document longer than the screen. */}
          <div ref={scroller} data-scrolls className="relative flex min-h-0 flex-1 flex-col overflow-y-auto">
            <main id="main" tabIndex={-1} className="flex flex-1 flex-col p-4 outline-none md:px-6">
              <MomentProvider>
                <Outlet />
              </MomentProvider>
            </main>
            {/* Leaves space for the controls in the corners: the zoom control on small screens, and "Back to top". */}
            <footer className="relative flex min-h-8 shrink-0 flex-wrap items-center justify-center gap-x-4 gap-y-1 border-hairline border-t px-14 py-1 text-muted text-xs max-md:min-h-14 max-md:pl-32">
              <span>Reference Data Management</span>
              <Link to="/help" className="underline hover:text-ink">
                Documentation
              </Link>
              <ZoomControl place={sidebar.isMobile ? 'footer' : sidebar.expanded ? 'sidebar' : 'narrow sidebar'} />
            </footer>
          </div>
        </div>
        <BackToTop />
        <SessionTimeout />
        <ShortcutsDialog open={shortcuts} onOpenChange={setShortcuts} />
        {palette && <PaletteLoader onClose={() => setPalette(false)} />}
      </div>
    </MomentContext>
  );
}
