/** The manifest of a feature: what the router, the sidebar, the palette and the guards know of it. */
import type { LucideIcon } from 'lucide-react';
import { type ComponentType, createContext, useContext } from 'react';

export interface FeatureRoute {
  /** React Router's syntax: `/crosswalks/:id/mappings`. */
  path: string;
  /** The document's title while the page is open. */
  title: string;
  page: () => Promise<{ default: ComponentType }>;
  /** It can be read as of the past, or is the same at all times; any other says that it has none. */
  past?: boolean;
  /** A public page needs no sign-in and has no shell. */
  access?: 'guarded' | 'public';
  /** The route whose permission decides; by default the first segment, through the aliases. */
  permission?: string;
}

export interface NavEntry {
  label: string;
  icon: LucideIcon;
  /** Position in its section, ascending. */
  order: number;
  /** By default the feature's first route. */
  to?: string;
  section?: 'main' | 'administration';
  /** What one does there, for the start page. */
  description?: string;
  /** Further path prefixes under which the entry is active. */
  covers?: readonly string[];
  /** Links below the entry, in the expanded sidebar; while they are open they mark the pages that the entry covers. */
  links?: ComponentType<NavLinksProps>;
}

export interface NavLinksProps {
  onNavigate: () => void;
}

export interface PaletteAction {
  label: string;
  icon?: LucideIcon;
  to: string;
  /** Other words people look for. */
  keywords?: readonly string[];
}

export interface Feature {
  routes: readonly FeatureRoute[];
  nav?: NavEntry | readonly NavEntry[];
  actions?: readonly PaletteAction[];
}

export const feature = (manifest: Feature): Feature => manifest;

export interface PlacedNavEntry extends NavEntry {
  to: string;
}

/** The entries of all features in their order; the shell provides them, so that no feature has to know another. */
export const NavContext = createContext<readonly PlacedNavEntry[]>([]);

export const useNavEntries = (): readonly PlacedNavEntry[] => useContext(NavContext);
