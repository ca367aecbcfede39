/** Collects the manifests of all features for the router, the sidebar and the palette. */
import type { Feature, FeatureRoute, NavEntry, PaletteAction, PlacedNavEntry } from '../lib/feature/index.ts';

const manifests = import.meta.glob<Feature>('../features/*/routes.tsx', { eager: true, import: 'default' });

export const features: readonly Feature[] = Object.values(manifests);

export const routes: readonly FeatureRoute[] = features.flatMap((feature) => feature.routes);

/** The sidebar entries in order. */
export const navEntries: readonly PlacedNavEntry[] = features
  .flatMap((feature) => {
    const entries = feature.nav === undefined ? [] : Array.isArray(feature.nav) ? feature.nav : [feature.nav];
    return (entries as readonly NavEntry[]).map((entry) => ({
      ...entry,
      to: entry.to ?? feature.routes[0]?.path ?? '/',
    }));
  })
  .sort((left, right) => left.order - right.order);

export const paletteActions: readonly PaletteAction[] = features.flatMap((feature) => feature.actions ?? []);
