/** Asks axe what makes a page hard to use for some people. */
import type { Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';
import { expect } from './people.ts';

export interface Looked {
  /** Only these rules. */
  rules?: string[];
  /** All rules but these. */
  without?: string[];
}

/** The rules a page breaks, and where. axe is loaded once per document: loading it takes longer than its look at a page. */
async function violationsOf(page: Page, { rules, without = [] }: Looked): Promise<{ rule: string; at: string[] }[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const options: RunOptions = {
    resultTypes: ['violations'],
    rules: Object.fromEntries(without.map((rule) => [rule, { enabled: false }])),
    ...(rules && { runOnly: { type: 'rule', values: rules } }),
  };
  return page.evaluate(async (given) => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(document, given);
    return violations.map(({ id, help, nodes }) => ({
      rule: `${id}: ${help}`,
      at: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
    }));
  }, options);
}

export async function expectAccessible(page: Page, what: string, looked: Looked = {}): Promise<void> {
  await page.evaluate(finishTransitions);
  expect(await violationsOf(page, looked), what).toEqual([]);
}

/** What the look of a page decides: nothing but its colours. */
const RULES_OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** Looks at a page by all rules in the light, then by those of colours in the dark. */
export async function expectAccessibleInBothLooks(page: Page, what: string, without: string[] = []): Promise<void> {
  for (const look of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: look, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', look);
    const rules = RULES_OF_COLOURS.filter((rule) => !without.includes(rule));
    await expectAccessible(page, `${what}, ${look}`, look === 'light' ? { without } : { rules });
  }
}

/**
 * Waits until no transition runs: axe would measure the contrast of a colour between the old and the new one. The colour
 * that an element inherits begins its own transition only as its parent's ends.
 */
async function finishTransitions(): Promise<void> {
  for (;;) {
    const running = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    if (running.length === 0) return;
    await Promise.allSettled(running.map(({ finished }) => finished));
  }
}
