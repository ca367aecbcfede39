#!/usr/bin/env node
/** Starts the embedded event store alone. */
import { runBuilt } from './run-built.mjs';

await runBuilt('event-store.main');
