/** Tests an image that cannot be loaded. */
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, it } from 'vitest';
import { Image } from './image.tsx';

afterEach(cleanup);

it('an image that cannot be loaded is replaced by a message', () => {
  render(<Image src="/missing.png" alt="The list of crosswalks" />);
  fireEvent.error(screen.getByRole('img', { name: 'The list of crosswalks' }));
  expect(screen.queryByRole('img')).toBeNull();
  expect(screen.getByText('Failed to load image: The list of crosswalks')).toBeTruthy();
});
