#!/usr/bin/env node
/** `npm run backup`: writes a backup. */
import { runBuilt } from './run-built.mjs';

await runBuilt('backup.main');
