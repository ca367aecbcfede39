/** Runs before every spec file: the files of a worker share one process, so each begins with modules and globals of its own. */
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';

// State that modules keep, such as the toasts on screen, belongs to the file that loaded them.
vi.resetModules();

// Whole pages are rendered: a busy machine takes its time.
configure({ asyncUtilTimeout: 20_000 });

afterEach(cleanup);

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
