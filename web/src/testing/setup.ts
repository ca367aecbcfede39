/** Runs before every spec file. Resets modules and globals, because the files of a worker share a process. */
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';

// Modules contain state, such as the displayed toasts.
vi.resetModules();

// Specs render whole pages, which takes time on a busy machine.
configure({ asyncUtilTimeout: 20_000 });

afterEach(cleanup);

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
