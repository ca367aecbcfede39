#!/usr/bin/env node
/** `npm run verify-backup`: verifies a backup. */
import { runBuilt } from './run-built.mjs';

await runBuilt('verify-backup.main');
