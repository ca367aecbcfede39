#!/usr/bin/env node
/** `npm run scavenge`. */
import { runBuilt } from './run-built.mjs';

await runBuilt('scavenge.main');
