/** Tests parts of the shell: the active entry, single sign-on errors, zooming (specification §2 and §9). */
import { House } from 'lucide-react';
import { describe, expect, it } from 'vitest';
import { scaleQuery } from '../../lib/media/index.ts';
import { authErrorNotice } from '../auth-error-toasts.tsx';
import { clampedZoom } from '../zoom.ts';
import { isActive } from './sidebar.tsx';

describe('the active entry', () => {
  const entry = (to: string, covers: string[] = []) => ({ label: to, icon: House, order: 0, to, covers });
  it.each([
    ['/', '/', [], true],
    ['/', '/collections', [], false],
    ['/collections', '/collections/3/permissions', [], true],
    ['/collections', '/reference-data/3/instances', ['/reference-data'], true],
    ['/collections', '/collections-old', [], false],
  ])('%s at %s', (to, path, covers, expected) => expect(isActive(entry(to, covers), path)).toBe(expected));
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
  ])('%s is titled %s', (error, title) => expect(authErrorNotice(error, 'why', null).title).toBe(title));
  it('offer to contact the administrator when access is denied', () =>
    expect(authErrorNotice('access_denied', null, 'it@example.org').action).toEqual({
      label: 'Contact Admin',
      href: 'mailto:it@example.org?subject=Access%20to%20Reference%20Data%20Management',
    }));
  it('show the description of any other error', () =>
    expect(authErrorNotice('server_error', 'The provider is down', null).description).toBe('The provider is down'));
});

describe('zooming', () => {
  it.each([
    [0.4, 0.5],
    [1.1 + 0.1, 1.2],
    [2.1, 2],
  ])('%d is %d', (requested, clamped) => expect(clampedZoom(requested)).toBe(clamped));
  it('scales the widths of media queries', () => {
    expect(scaleQuery('not all and (width >= 48rem) and (hover: hover)', 1.5)).toBe(
      'not all and (width >= 72rem) and (hover: hover)',
    );
    expect(scaleQuery('(width < 768px)', 2)).toBe('(width < 1536px)');
  });
});
