#!/usr/bin/env node
/** `npm run restore`: restores a backup. */
import { runBuilt } from './run-built.mjs';

await runBuilt('restore.main');
