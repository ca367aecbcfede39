/** The manifest of a feature, which the router, the sidebar and the palette read. */
import type { Ability } from '@rdm/contracts/access/permissions';
import type { LucideIcon } from 'lucide-react';
import { type ComponentType, createContext, useContext } from 'react';

export interface FeatureRoute {
  /** React Router's syntax: `/crosswalks/:id/mappings`. */
  path: string;
  /** The document's title on this page. */
  title: string;
  page: () => Promise<{ default: ComponentType }>;
  /** Whether the page is available for the past: it can show past data, or its content never changes. */
  canShowPast?: boolean;
  /** A public page needs no sign-in and has no shell. */
  access?: 'guarded' | 'public';
}

export interface NavEntry {
  label: string;
  icon: LucideIcon;
  /** Position in its section, ascending. */
  order: number;
  /** The path of the entry; by default the path of the first route of the feature. */
  to?: string;
  section?: 'main' | 'administration';
  /** A description for the start page. */
  description?: string;
  /** Further path prefixes under which the entry is active. */
  covers?: readonly string[];
  /**
   * Links below the entry in the expanded sidebar. While they are visible, the link to the active page is marked
   * instead of the entry.
   */
  links?: ComponentType<NavLinksProps>;
}

export interface NavLinksProps {
  onNavigate: () => void;
}

export interface PaletteAction {
  label: string;
  icon?: LucideIcon;
  to: string;
  /** If set, the action is offered only to users with this ability. */
  ability?: Ability;
  /** Further words by which the palette finds the action. */
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

/** The entries of all features in order; provided by the shell, so that features do not import each other. */
export const NavContext = createContext<readonly PlacedNavEntry[]>([]);

export const useNavEntries = (): readonly PlacedNavEntry[] => useContext(NavContext);
