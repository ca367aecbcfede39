/** Checks pages for accessibility violations with axe. */
import type { Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';
import { expect } from './fixtures.ts';

/** The rules that depend on the theme. These rules take most of the time of a check. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** The elements that all pages of a signed-in user share. Only the test of the start page checks their colours. */
const SHELL = ['aside', '#root header:not(main header)'];

interface AccessibilityOptions {
  /** Rules that are not checked on this page; the colour rules are always checked. */
  disabled?: string[];
  /** Whether to check the colours of the sidebar and the header too. */
  withShell?: boolean;
}

/** Fails with the violated rules and their elements; `subject` names the page in the failure. */
export async function expectAccessible(page: Page, subject: string, options: AccessibilityOptions = {}): Promise<void> {
  const { disabled = [] } = options;
  const rules = Object.fromEntries([...COLOUR_RULES, ...disabled].map((rule) => [rule, { enabled: false }]));
  await expectNoViolation(page, subject, {}, { rules });
  await expectReadableColours(page, subject, options);
}

/** Checks all rules in the light theme, and the colour rules in the dark theme. */
export async function expectAccessibleInBothThemes(
  page: Page,
  subject: string,
  options: AccessibilityOptions = {},
): Promise<void> {
  const check = { light: expectAccessible, dark: expectReadableColours };
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
    await check[theme](page, `${subject}, ${theme}`, options);
  }
}

/** Checks the colours of an open dialog or menu, otherwise those of the page. Other tests check covered pages. */
async function expectReadableColours(page: Page, subject: string, { withShell }: AccessibilityOptions): Promise<void> {
  const isCovered = await page.evaluate(() =>
    [...document.querySelectorAll('[role="dialog"], [role="alertdialog"], [role="menu"]')].some(
      (overlay) => overlay.closest('#root') === null,
    ),
  );
  const exclude = isCovered ? ['#root'] : withShell ? [] : SHELL;
  await expectNoViolation(page, subject, { exclude }, { runOnly: { type: 'rule', values: COLOUR_RULES } });
}

async function expectNoViolation(
  page: Page,
  subject: string,
  context: { exclude?: string[] },
  options: RunOptions,
): Promise<void> {
  await page.evaluate(finishTransitions);
  // Injecting axe takes longer than running it, so it is injected once per document.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async ({ exclude = [], runOptions }) => {
      const { axe: injected } = window as unknown as { axe: typeof axe };
      const present = exclude.filter((selector) => document.querySelector(selector) !== null);
      const result = await injected.run(present.length === 0 ? document : { exclude: present }, runOptions);
      return result.violations.map(({ id, help, nodes }) => ({
        rule: `${id}: ${help}`,
        at: nodes.map(({ html, failureSummary }) => `${html}\n${failureSummary}`),
      }));
    },
    { ...context, runOptions: { ...options, resultTypes: ['violations'] } satisfies RunOptions },
  );
  expect(violations, subject).toEqual([]);
}

/**
 * Waits until no CSS transition runs, because axe would measure an intermediate colour. Checks repeatedly, because the
 * transition of an inherited colour begins when the transition of the parent element ends.
 */
async function finishTransitions(): Promise<void> {
  for (;;) {
    const running = document.getAnimations().filter((animation) => animation instanceof CSSTransition);
    if (running.length === 0) return;
    await Promise.allSettled(running.map(({ finished }) => finished));
  }
}
