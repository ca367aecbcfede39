#!/usr/bin/env node
/** `npm run verify-log`: verifies an exported log. */
import { runBuilt } from './run-built.mjs';

await runBuilt('verify-log.main');
