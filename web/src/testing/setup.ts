/** Runs before every spec file: the files of a worker share one process, so each starts with its own modules and globals. */
import { cleanup, configure } from '@testing-library/react';
import { afterAll, afterEach, vi } from 'vitest';

// Modules keep state, such as the displayed toasts, so each spec file loads its own modules.
vi.resetModules();

// Specs render whole pages, which takes time on a busy machine.
configure({ asyncUtilTimeout: 20_000 });

afterEach(cleanup);

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
