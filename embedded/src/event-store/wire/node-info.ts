/** Describes the server to a client that connects: the supported methods, and a cluster of one node. */
import { randomUUID } from 'node:crypto';
import { encoder } from './protocol.ts';

/**
 * The version of EventStoreDB whose protocol this store implements. Clients choose features by the version and the
 * methods.
 */
const PROTOCOL_VERSION = '24.10.0';
const LEADER = 8;

const METHODS = {
  'event_store.client.streams.streams': ['read', 'append', 'batchappend', 'delete', 'tombstone'],
  'event_store.client.gossip.gossip': ['read'],
  'event_store.client.operations.operations': ['startscavenge', 'stopscavenge'],
  'event_store.client.server_features.serverfeatures': ['getsupportedmethods'],
};
const FEATURES: Record<string, readonly string[]> = {
  read: ['position', 'events'],
  batchappend: ['deadline_duration'],
};

const encodeMethods = encoder('SupportedMethods');
const encodeCluster = encoder('ClusterInfo');

/** Returns the supported methods, with names in lower case as in EventStoreDB. */
export function supportedMethods(): Buffer {
  const methods = Object.entries(METHODS).flatMap(([serviceName, names]) =>
    names.map((methodName) => ({ serviceName, methodName, features: FEATURES[methodName] ?? [] })),
  );
  return encodeMethods({ methods, eventStoreServerVersion: PROTOCOL_VERSION });
}

/** Returns a function that encodes the cluster for the gossip protocol: only this node, alive and leading. */
export function clusterOfOne(address: string): (port: number) => Buffer {
  const instanceId = { string: randomUUID() };
  return (port) =>
    encodeCluster({
      members: [
        // The time stamp counts ticks of 100 ns.
        { instanceId, timeStamp: `${Date.now()}0000`, state: LEADER, isAlive: true, httpEndPoint: { address, port } },
      ],
    });
}
