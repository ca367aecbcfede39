#!/usr/bin/env node
/** `npm run verify-log`. */
import { runBuilt } from './run-built.mjs';

await runBuilt('verify-log.main');
