/**
 * The navigation. It lists only permitted entries, and marks the entry whose path is a prefix of the current path
 * (specification §2).
 */

import { isBelow, mayOpen } from '@rdm/contracts/access/permissions';
import { SIDEBAR_COLLAPSED_PX, SIDEBAR_MOBILE_WIDTH_REM, SIDEBAR_WIDTH_PX } from '@rdm/contracts/constants';
import { ChevronDown, Settings } from 'lucide-react';
import { type ComponentType, type ReactNode, useState } from 'react';
import { Link, useLocation } from 'react-router-dom';
import { cn } from '../../components/ui/cn.ts';
import { Drawer } from '../../components/ui/drawer.tsx';
import { Tooltip, TooltipProvider } from '../../components/ui/tooltip.tsx';
import { useCurrentUser } from '../../lib/auth/index.ts';
import { type NavLinksProps, type PlacedNavEntry, useNavEntries } from '../../lib/feature/index.ts';
import { Logo } from './logo.tsx';
import type { SidebarState } from './sidebar-state.ts';

const EXPANDED_SECTIONS_KEY = 'sidebar-expanded-sections';
const EXPANDED_AT_FIRST = ['/collections'];

export function Sidebar({ state }: { state: SidebarState }) {
  if (state.isMobile) {
    return (
      <Drawer
        open={state.sheetOpen}
        onOpenChange={state.setSheetOpen}
        title="Navigation"
        side="left"
        bare
        className="w-auto"
      >
        <div style={{ width: `${SIDEBAR_MOBILE_WIDTH_REM}rem` }} className="flex min-h-full flex-col">
          <Logo expanded />
          <Entries expanded onNavigate={() => state.setSheetOpen(false)} />
        </div>
      </Drawer>
    );
  }
  return (
    <aside
      aria-label="Sidebar"
      data-state={state.expanded ? 'expanded' : 'collapsed'}
      style={{ width: state.expanded ? SIDEBAR_WIDTH_PX : SIDEBAR_COLLAPSED_PX }}
      className="flex shrink-0 flex-col overflow-hidden border-hairline border-r bg-surface transition-[width] duration-150"
    >
      <Logo expanded={state.expanded} />
      <TooltipProvider delay={0}>
        <Entries expanded={state.expanded} onNavigate={() => undefined} />
      </TooltipProvider>
    </aside>
  );
}

function Entries({ expanded, onNavigate }: { expanded: boolean; onNavigate: () => void }) {
  const user = useCurrentUser();
  const { pathname } = useLocation();
  const permittedEntries = useNavEntries().filter((entry) => mayOpen(entry.to, user));
  const main = permittedEntries.filter((entry) => entry.section !== 'administration');
  const administration = user.isAdmin ? permittedEntries.filter((entry) => entry.section === 'administration') : [];
  const item = (entry: PlacedNavEntry) =>
    expanded && entry.links !== undefined ? (
      <ItemWithLinks key={entry.to} entry={entry} links={entry.links} pathname={pathname} onNavigate={onNavigate} />
    ) : (
      <li key={entry.to}>
        <Item entry={entry} active={isActive(entry, pathname)} expanded={expanded} onNavigate={onNavigate} />
      </li>
    );
  return (
    <nav aria-label="Main" className="min-h-0 flex-1 overflow-y-auto overflow-x-hidden p-2 pb-28">
      <ul className="flex flex-col gap-0.5">{main.map(item)}</ul>
      {administration.length > 0 && (
        <Section expanded={expanded}>
          <ul className="flex flex-col gap-0.5">{administration.map(item)}</ul>
        </Section>
      )}
    </nav>
  );
}

/**
 * Whether the path equals or is below the path of the entry or a path that the entry covers. The entry of the start
 * page is active only on the start page.
 */
export function isActive(entry: PlacedNavEntry, pathname: string): boolean {
  if (entry.to === '/') return pathname === '/';
  return [entry.to, ...(entry.covers ?? [])].some((prefix) => isBelow(pathname, prefix));
}

interface ItemProps {
  entry: PlacedNavEntry;
  active: boolean;
  expanded: boolean;
  onNavigate: () => void;
}

const itemClasses =
  'flex h-9 w-full items-center gap-3 rounded-md px-3.5 text-sm hover:bg-hover focus-visible:-outline-offset-2 [&>svg]:size-5 [&>svg]:shrink-0';

function Item({ entry, active, expanded, onNavigate }: ItemProps) {
  const link = (
    <Link
      to={entry.to}
      onClick={onNavigate}
      aria-current={active ? 'page' : undefined}
      className={cn(itemClasses, active && 'bg-accent-soft font-medium text-ink shadow-[inset_2px_0_0_var(--accent)]')}
    >
      <entry.icon aria-hidden="true" strokeWidth={1.75} className={active ? 'text-accent' : 'text-muted'} />
      <span className={expanded ? 'truncate' : 'sr-only'}>{entry.label}</span>
    </Link>
  );
  if (expanded) return link;
  return (
    <Tooltip content={entry.label} side="right">
      {link}
    </Tooltip>
  );
}

interface ItemWithLinksProps {
  entry: PlacedNavEntry;
  links: ComponentType<NavLinksProps>;
  pathname: string;
  onNavigate: () => void;
}

function ItemWithLinks({ entry, links: Links, pathname, onNavigate }: ItemWithLinksProps) {
  const [open, toggle] = useExpandedSection(entry.to);
  // While the links below the entry are visible, a covered path marks its link instead of the entry.
  const active = isActive(open ? { ...entry, covers: [] } : entry, pathname);
  return (
    <li>
      <div className="relative">
        <Item entry={entry} active={active} expanded onNavigate={onNavigate} />
        <button
          type="button"
          aria-label={`${entry.label}: links`}
          aria-expanded={open}
          onClick={toggle}
          className="absolute top-1 right-1 flex size-7 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
        >
          <ChevronDown aria-hidden="true" className={cn('size-4 transition-transform', !open && '-rotate-90')} />
        </button>
      </div>
      {open && <Links onNavigate={onNavigate} />}
    </li>
  );
}

/** Whether a section is expanded. The state is stored in the session storage of the tab. */
function useExpandedSection(name: string): [open: boolean, toggle: () => void] {
  const [open, setOpen] = useState(() => expandedSections().includes(name));
  const toggle = () => {
    const others = expandedSections().filter((section) => section !== name);
    sessionStorage.setItem(EXPANDED_SECTIONS_KEY, JSON.stringify(open ? others : [...others, name]));
    setOpen(!open);
  };
  return [open, toggle];
}

function expandedSections(): readonly string[] {
  const stored = sessionStorage.getItem(EXPANDED_SECTIONS_KEY);
  return stored === null ? EXPANDED_AT_FIRST : JSON.parse(stored);
}

function Section({ expanded, children }: { expanded: boolean; children: ReactNode }) {
  const [open, toggle] = useExpandedSection('administration');
  return (
    <div className="mt-2 border-hairline border-t pt-2">
      <button
        type="button"
        aria-expanded={open}
        onClick={toggle}
        className={itemClasses}
        title={expanded ? undefined : 'Administration'}
      >
        <Settings aria-hidden="true" strokeWidth={1.75} className="text-muted" />
        <span className={expanded ? 'flex-1 text-left' : 'sr-only'}>Administration</span>
        {expanded && <ChevronDown aria-hidden="true" className={cn('transition-transform', !open && '-rotate-90')} />}
      </button>
      {open && <div className={expanded ? 'pl-2' : ''}>{children}</div>}
    </div>
  );
}
