#!/usr/bin/env node
/** Runs `npm run scavenge`. */
import { runBuilt } from './run-built.mjs';

await runBuilt('scavenge.main');
