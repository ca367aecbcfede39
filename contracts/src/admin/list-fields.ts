/** The fields of three lists: projections, site paths and errors. */
import { apiOnly, boolean, datetime, type ListFields, number, string } from '../lists/list-field.ts';

export const PROJECTION_FIELDS = {
  name: apiOnly(string('Projection')),
  title: string('Read model'),
  state: string('State'),
  failure: string('Failure'),
  lag: number('Behind by'),
  seq: number('Seq'),
  version: number('Version'),
  build: number('Build'),
  serving: boolean('Serving'),
} satisfies ListFields;

export const SITE_PATH_FIELDS = {
  path: string('Path'),
  allowed: boolean('Allowed'),
  guard: string('Guard'),
  permission: string('Needs'),
} satisfies ListFields;

export const ERROR_FIELDS = {
  at: datetime('Time'),
  service: string('Service'),
  kind: string('Kind'),
  route: string('Route'),
  status: number('Status'),
  code: string('Code'),
  message: string('Message'),
  correlationId: string('Correlation'),
  actorId: number('User id'),
} satisfies ListFields;
