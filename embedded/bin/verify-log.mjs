#!/usr/bin/env node
/** Runs `npm run verify-log`. */
import { runBuilt } from './run-built.mjs';

await runBuilt('verify-log.main');
