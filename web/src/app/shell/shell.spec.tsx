/**
 * Tests parts of the shell: the active entry, single sign-on errors, zooming, the logo and the support dialog
 * (specification §2 and §9).
 */
import { act, fireEvent, render, screen } from '@testing-library/react';
import { House } from 'lucide-react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { scaleQuery } from '../../lib/media/index.ts';
import { fakeServer, showPage } from '../../testing/page.tsx';
import { authErrorNotice } from '../auth-error-toasts.tsx';
import { applyZoom, clampedZoom } from '../zoom.ts';
import { Logo } from './logo.tsx';
import { isActive } from './sidebar.tsx';
import { SupportDialog } from './support-dialog.tsx';
import { ZoomControl } from './zoom-control.tsx';

describe('whether an entry of the sidebar is active', () => {
  const entry = (to: string, covers: string[] = []) => ({ label: to, icon: House, order: 0, to, covers });
  it.each([
    ['/', '/', [], true],
    ['/', '/collections', [], false],
    ['/collections', '/collections/3/permissions', [], true],
    ['/collections', '/reference-data/3/instances', ['/reference-data'], true],
    ['/collections', '/collections-old', [], false],
  ])('is determined for the entry %s at the path %s', (to, path, covers, expected) =>
    expect(isActive(entry(to, covers), path)).toBe(expected),
  );
});

describe('single sign-on errors', () => {
  it('name the provider in capitals', () =>
    expect(authErrorNotice('okta_auth_failed', null, null)).toEqual({
      title: 'OKTA Authentication Failed',
      description: 'Unable to authenticate with OKTA. Please try again or contact your administrator.',
    }));
  it.each([
    ['callback_error', 'Authentication Callback Error'],
    ['access_denied', 'Access Denied'],
    ['invalid_request', 'Invalid Request'],
  ])('of the kind %s have the title “%s”', (error, title) =>
    expect(authErrorNotice(error, 'why', null).title).toBe(title),
  );
  it('offer to contact the administrator if the provider denies access', () =>
    expect(authErrorNotice('access_denied', null, 'it@example.org').action).toEqual({
      label: 'Contact Admin',
      href: 'mailto:it@example.org?subject=Access%20to%20Reference%20Data%20Management',
    }));
  it('show the description of an unknown error', () =>
    expect(authErrorNotice('server_error', 'The provider is down', null).description).toBe('The provider is down'));
});

describe('zooming', () => {
  it.each([
    [0.4, 0.5],
    [1.1 + 0.1, 1.2],
    [2.1, 2],
  ])('limits and rounds %d to %d', (requested, clamped) => expect(clampedZoom(requested)).toBe(clamped));
  it('scales the widths of media queries', () => {
    expect(scaleQuery('not all and (width >= 48rem) and (hover: hover)', 1.5)).toBe(
      'not all and (width >= 72rem) and (hover: hover)',
    );
    expect(scaleQuery('(width < 768px)', 2)).toBe('(width < 1536px)');
  });
});

describe('the zoom control', () => {
  afterEach(() => {
    vi.useRealTimers();
    applyZoom(1);
  });
  const control = () => screen.getByRole('region', { name: 'Zoom' });
  const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });
  const isHidden = () => control().classList.contains('opacity-0');
  const wait = (ms: number) => act(() => vi.advanceTimersByTime(ms));

  it('hides after three seconds without use', () => {
    vi.useFakeTimers();
    render(<ZoomControl place="sidebar" />);
    wait(2_999);
    expect(isHidden()).toBe(false);
    fireEvent.click(button('Zoom in'));
    wait(2_999);
    expect(isHidden()).toBe(false);
    wait(1);
    expect(isHidden()).toBe(true);
  });

  it('starts at 100% and changes in steps of 10% between 50% and 200%', () => {
    localStorage.clear();
    render(<ZoomControl place="sidebar" />);
    expect(control().textContent).toBe('100%');
    const zoomLevels: (string | null)[] = [];
    for (const [name, steps] of [
      ['Zoom in', 10],
      ['Zoom out', 15],
    ] as const) {
      for (let step = 0; step < steps; step++) {
        expect(button(name).disabled).toBe(false);
        fireEvent.click(button(name));
        zoomLevels.push(control().textContent);
      }
      expect(button(name).disabled).toBe(true);
    }
    const percents = [110, 120, 130, 140, 150, 160, 170, 180, 190, 200];
    percents.push(190, 180, 170, 160, 150, 140, 130, 120, 110, 100, 90, 80, 70, 60, 50);
    expect(zoomLevels).toEqual(percents.map((percent) => `${percent}%`));
  });
});

describe('the logo', () => {
  afterEach(() => vi.unstubAllGlobals());

  it('opens the start page until the configuration is loaded, then the company site', async () => {
    fakeServer({ 'GET /api/auth/config': { body: { companyUrl: 'https://www.example.com' } } });
    showPage(<Logo expanded />);
    expect(screen.getByRole('link', { name: 'Start page' }).getAttribute('href')).toBe('/');
    const link = await screen.findByRole('link', { name: 'Company site (opens in a new tab)' });
    expect(link.getAttribute('href')).toBe('https://www.example.com');
  });
});

it('the support dialog offers to contact support at the configured address', async () => {
  fakeServer({ 'GET /api/auth/config': { body: { supportEmail: 'help@example.org' } } });
  showPage(<SupportDialog open onOpenChange={() => undefined} />);
  const link = await screen.findByRole('link', { name: 'Contact support' });
  expect(link.getAttribute('href')).toBe('mailto:help@example.org');
  vi.unstubAllGlobals();
});
