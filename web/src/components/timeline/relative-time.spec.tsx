/** Tests relative times. */
import { act, render, screen } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { MomentContext } from '../../lib/past/index.ts';
import { RelativeTime } from './index.tsx';

const textAt = (moment: string | undefined): string => {
  const at = new Date(Date.now() - 8 * 60_000);
  render(
    <MomentContext value={moment}>
      <RelativeTime at={at} />
    </MomentContext>,
  );
  return screen.getByRole('time').textContent ?? '';
};

afterEach(() => vi.useRealTimers());

describe('a relative time', () => {
  it('is updated while the page stays open', () => {
    vi.useFakeTimers();
    render(<RelativeTime at={new Date()} />);
    const text = () => screen.getByRole('time').textContent;
    expect(text()).toBe('just now');
    act(() => vi.advanceTimersByTime(5 * 60_000));
    expect(text()).toBe('5 minutes ago');
  });

  it('is relative on a page of the present', () => {
    expect(textAt(undefined)).toBe('8 minutes ago');
  });

  it.each([undefined, 'seq:7'])('has the exact time as its title at the moment %s', (moment) => {
    textAt(moment);
    expect(screen.getByRole('time').title).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2} [+-]\d{2}:\d{2}$/);
  });

  it('has a data attribute with the date and time for print styles', () => {
    textAt(undefined);
    expect(screen.getByRole('time').dataset['printed']).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
  });

  it('is a date and time on a page of the past', () => {
    expect(textAt('seq:7')).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}$/);
  });
});
