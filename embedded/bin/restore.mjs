#!/usr/bin/env node
/** Runs `npm run restore`. */
import { runBuilt } from './run-built.mjs';

await runBuilt('restore.main');
