/** Removes from requests the headers that callers must not set, and adds the headers of the front door. */
import type { IncomingMessage } from 'node:http';
import { requestIdOf } from './responses.ts';
import { instanceName, type Target } from './target.ts';

export interface ForwardedHeadersOptions {
  /** The scheme of the public address, which browsers use. */
  protocol: 'http' | 'https';
  /** Whether a proxy of the operator is in front of the front door, so that `x-forwarded-*` headers are trusted. */
  trustForwarded?: boolean | undefined;
  /** The origin to set on each request, because services accept writes only from the public origin. */
  origin?: string | undefined;
}

export interface ForwardedHeaders {
  /** Returns alternating names and values, for a service in another process. */
  rawFor(incoming: IncomingMessage, target: Target): string[];
  /** Changes the headers in place, for a service in this process. */
  applyTo(incoming: IncomingMessage): IncomingMessage;
}

/** Headers that callers must not set, or that are only meant for the front door. */
const RESERVED = [
  ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-request-id'],
  ...['x-service-secret', 'x-instance', 'proxy-authorization'],
];
/** Headers that are not forwarded: the reserved headers, and headers that concern only one connection. */
const NOT_FORWARDED = new Set([
  ...RESERVED,
  ...['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'upgrade', 'expect', 'transfer-encoding'],
]);

export function forwardedHeaders({ protocol, trustForwarded, origin }: ForwardedHeadersOptions): ForwardedHeaders {
  /** Returns the headers that the front door adds and that the services trust. */
  function addedHeaders(incoming: IncomingMessage): Record<string, string> {
    const trustedHeader = (name: string) => (trustForwarded ? incoming.headers[name]?.toString() : undefined);
    // The proxy of the operator appended the last address. The caller can forge the addresses before the last one.
    const address = trustedHeader('x-forwarded-for')?.split(',').at(-1)?.trim();
    return {
      'x-forwarded-for': address || (incoming.socket.remoteAddress ?? ''),
      'x-forwarded-proto': trustedHeader('x-forwarded-proto') ?? protocol,
      'x-forwarded-host': trustedHeader('x-forwarded-host') ?? incoming.headers.host ?? '',
      'x-request-id': requestIdOf(incoming),
      ...(origin !== undefined && { origin }),
    };
  }

  return {
    rawFor(incoming, target) {
      const headers: string[] = [];
      const raw = incoming.rawHeaders;
      for (let index = 0; index < raw.length; index += 2) {
        const [name = '', value = ''] = [raw[index], raw[index + 1]];
        const lowerCased = name.toLowerCase();
        if (NOT_FORWARDED.has(lowerCased) || (lowerCased === 'origin' && origin !== undefined)) continue;
        headers.push(name, value);
      }
      for (const [name, value] of Object.entries(addedHeaders(incoming))) headers.push(name, value);
      // query-api begins the ids of its socket.io sessions with the name of its instance.
      if (incoming.url?.startsWith('/socket.io/')) headers.push('x-instance', instanceName(target));
      return headers;
    },
    applyTo(incoming) {
      const headers = addedHeaders(incoming);
      for (const name of RESERVED) if (name in incoming.headers) delete incoming.headers[name];
      Object.assign(incoming.headers, headers);
      return incoming;
    },
  };
}
