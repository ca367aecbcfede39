#!/usr/bin/env node
/** `npm run scavenge`: scavenges the event store. */
import { runBuilt } from './run-built.mjs';

await runBuilt('scavenge.main');
