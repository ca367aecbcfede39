import { render, screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { MomentContext } from '../../lib/past/index.ts';
import { RelativeTime } from './index.tsx';

const shown = (moment: string | undefined): string => {
  const at = new Date(Date.now() - 8 * 60_000);
  render(
    <MomentContext value={moment}>
      <RelativeTime at={at} />
    </MomentContext>,
  );
  return screen.getByRole('time').textContent ?? '';
};

describe('a moment', () => {
  it('is so long ago on a page of today', () => {
    expect(shown(undefined)).toBe('8 minutes ago');
  });

  it('is a date on a page of the past, which was not long ago then', () => {
    expect(shown('seq:7')).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
  });
});
