#!/usr/bin/env node
/** `npm run restore`. */
import { runBuilt } from './run-built.mjs';

await runBuilt('restore.main');
