/** Checks pages for accessibility violations with axe. */
import type { Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';
import { expect } from './fixtures.ts';

/** The rules that depend on the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Fails with the violated rules and their elements; `what` names the page in the failure. */
export async function expectAccessible(page: Page, what: string, options: RunOptions = {}): Promise<void> {
  await page.evaluate(finishTransitions);
  // Injecting axe takes longer than running it, so it is injected once per document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async (given) => {
      const result = await (window as unknown as { axe: typeof axe }).axe.run(document, given);
      return result.violations.map(({ id, help, nodes }) => ({
        rule: `${id}: ${help}`,
        at: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
      }));
    },
    { ...options, resultTypes: ['violations'] } satisfies RunOptions,
  );
  expect(violations, what).toEqual([]);
}

/** Checks all rules but `disabled` in the light theme, and the colour rules in the dark theme. */
export async function expectAccessibleInBothThemes(page: Page, what: string, disabled: string[] = []): Promise<void> {
  const options: Record<'light' | 'dark', RunOptions> = {
    light: { rules: Object.fromEntries(disabled.map((rule) => [rule, { enabled: false }])) },
    dark: { runOnly: { type: 'rule', values: COLOUR_RULES } },
  };
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await expectAccessible(page, `${what}, ${theme}`, options[theme]);
  }
}

/**
 * Waits until no CSS transition runs, because axe would measure a colour between the old and the new one. An inherited colour
 * starts its own transition when the one of its parent ends.
 */
async function finishTransitions(): Promise<void> {
  for (;;) {
    const running = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    if (running.length === 0) return;
    await Promise.allSettled(running.map(({ finished }) => finished));
  }
}
