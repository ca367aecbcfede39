/** Entry point of query-api as a separate process. */
import { announceReady, stopGracefully } from '@rdm/platform';
import { startQueryApi } from './start.ts';

const { log, port, close } = await startQueryApi(process.env);
announceReady(port);
stopGracefully(log, close);
