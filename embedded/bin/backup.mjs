#!/usr/bin/env node
/** `npm run backup`. */
import { runBuilt } from './run-built.mjs';

await runBuilt('backup.main');
