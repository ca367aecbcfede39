#!/usr/bin/env node
/** Runs `npm run verify-backup`. */
import { runBuilt } from './run-built.mjs';

await runBuilt('verify-backup.main');
