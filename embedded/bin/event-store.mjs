#!/usr/bin/env node
/** Starts only the embedded event store, without the rest of the product. */
import { runBuilt } from './run-built.mjs';

await runBuilt('event-store.main');
