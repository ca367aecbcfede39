#!/usr/bin/env node
/** Runs `npm run backup`. */
import { runBuilt } from './run-built.mjs';

await runBuilt('backup.main');
