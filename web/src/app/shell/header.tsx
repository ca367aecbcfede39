/**
 * The header of the shell: sidebar button, title and welcome line, current page, the note about reads that are behind,
 * search, time, theme, notifications, help and account.
 */
import { Menu as MenuIcon, PanelLeft, Search } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Button } from '../../components/ui/button.tsx';
import { Tooltip } from '../../components/ui/tooltip.tsx';
import { isBehind, onBehindChange } from '../../lib/api/index.ts';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { AccountMenu } from './account-menu.tsx';
import { CurrentPage } from './current-page.tsx';
import { HelpMenu } from './help-menu.tsx';
import { NotificationBell } from './notifications/bell.tsx';
import { TimeControl } from './past-view.tsx';
import type { SidebarState } from './sidebar-state.ts';
import { ThemeMenu } from './theme-menu.tsx';

export function Header({ sidebar, onSearch }: { sidebar: SidebarState; onSearch: () => void }) {
  const user = useCurrentUser();
  const isServerBehind = useSyncExternalStore(onBehindChange, isBehind);
  return (
    <header className="flex h-14 shrink-0 items-center gap-2 border-hairline border-b bg-surface px-3">
      <Button
        variant="ghost"
        size="icon"
        aria-label={sidebar.isMobile ? 'Open navigation' : 'Toggle sidebar'}
        aria-expanded={sidebar.isMobile ? sidebar.sheetOpen : sidebar.expanded}
        aria-keyshortcuts="Control+B Meta+B"
        onClick={sidebar.toggle}
      >
        {sidebar.isMobile ? <MenuIcon /> : <PanelLeft />}
      </Button>
      <div className="min-w-0 shrink">
        <p className="truncate font-semibold text-base">Reference Data Management</p>
        <p className="truncate text-muted text-xs">Welcome, {user.username}</p>
      </div>
      <div className="min-w-0 flex-1">
        <CurrentPage />
      </div>
      <p role="status" className="text-muted text-xs">
        {isServerBehind ? 'Saved, syncing…' : ''}
      </p>
      <Tooltip content="Search and commands (Ctrl+K)">
        <Button
          variant="ghost"
          className="lg:border-hairline lg:text-muted"
          aria-label="Search and commands"
          aria-keyshortcuts="Control+K Meta+K"
          onClick={onSearch}
        >
          <Search />
          <span className="hidden lg:inline">Search</span>
          <kbd className="rounded-sm border border-hairline px-1 font-mono text-xs touch:hidden max-lg:hidden">
            Ctrl K
          </kbd>
        </Button>
      </Tooltip>
      <TimeControl />
      <ThemeMenu />
      <NotificationBell />
      <HelpMenu />
      <AccountMenu />
    </header>
  );
}
