/** Starts the product with an original EventStoreDB and PostgreSQL in containers; requires a Docker engine. */
import { PostgreSqlContainer } from '@testcontainers/postgresql';
import { GenericContainer, Wait } from 'testcontainers';
import type { TestProject } from 'vitest/node';
import { startStack } from './stack.ts';

const EVENT_STORE_PORT = 2113;

export default async function setup(project: TestProject) {
  const [store, postgres] = await Promise.all([
    new GenericContainer('eventstore/eventstore:24.10')
      .withEnvironment({ EVENTSTORE_INSECURE: 'true', EVENTSTORE_MEM_DB: 'false', EVENTSTORE_RUN_PROJECTIONS: 'None' })
      .withExposedPorts(EVENT_STORE_PORT)
      .withWaitStrategy(Wait.forHttp('/health/live', EVENT_STORE_PORT).forStatusCode(204))
      .start(),
    new PostgreSqlContainer('postgres:17').start(),
  ]);
  return startStack(project, {
    eventStoreUrl: `esdb://${store.getHost()}:${store.getMappedPort(EVENT_STORE_PORT)}?tls=false`,
    databaseUrl: postgres.getConnectionUri(),
    stop: async () => {
      await store.stop();
      await postgres.stop();
    },
  });
}
