/** query-api as a process of its own. */
import { announceReady, stopGracefully } from '@rdm/platform';
import { startQueryApi } from './start.ts';

const { log, port, close } = await startQueryApi(process.env);
announceReady(port);
stopGracefully(log, close);
