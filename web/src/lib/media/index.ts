/** Media queries that take the page zoom into account. */
import { MOBILE_BREAKPOINT_PX } from '@rdm/contracts/constants';
import { useSyncExternalStore } from 'react';

let zoom = 1;
const listeners = new Set<() => void>();
const originalQueries = new WeakMap<CSSMediaRule, string>();

/**
 * Zooms the page, and scales the widths in media queries. Without the scaling, browsers would compare these widths with
 * the unzoomed width of the window.
 */
export function zoomPage(to: number): void {
  zoom = to;
  document.documentElement.style.setProperty('--zoom', String(to));
  for (const sheet of document.styleSheets) scaleWidths(sheet.cssRules);
  for (const listener of listeners) listener();
}

function scaleWidths(rules: CSSRuleList): void {
  for (const rule of rules) {
    if (rule instanceof CSSMediaRule) {
      const text = originalQueries.get(rule) ?? rule.media.mediaText;
      originalQueries.set(rule, text);
      if (text.includes('width')) rule.media.mediaText = scaleQuery(text, zoom);
    }
    if (rule instanceof CSSGroupingRule) scaleWidths(rule.cssRules);
  }
}

export const scaleQuery = (query: string, by: number): string =>
  query.replace(/([\d.]+)(px|rem)/g, (_, length: string, unit: string) => `${Number(length) * by}${unit}`);

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      // The result can change when the window is resized or the zoom changes.
      window.addEventListener('resize', listener);
      listeners.add(listener);
      return () => {
        window.removeEventListener('resize', listener);
        listeners.delete(listener);
      };
    },
    () => window.matchMedia(scaleQuery(query, zoom)).matches,
  );
}

export const useIsMobile = (): boolean => useMedia(`(width < ${MOBILE_BREAKPOINT_PX}px)`);
