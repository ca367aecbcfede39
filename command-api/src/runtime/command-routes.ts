/** Declares routes that run one command with the id, the body and the expected revision of the request. */
import { idParam, type Route, type RouteAccess, type RouteDocument, route } from '@rdm/platform';
import type { z } from 'zod';
import { ChangeAnswer } from './answer-schemas.ts';
import type { CommandDefinition, Commands } from './commands.ts';
import { expectedRevisionOf } from './expected-revision.ts';

/** The default of `answers` is `ChangeAnswer`. */
type Document = Omit<RouteDocument, 'answers'> & Partial<Pick<RouteDocument, 'answers'>>;

interface BodyOptions extends Document {
  /** The maximum number of bytes of the body. */
  limit?: number;
}

const CHANGED = { 200: ChangeAnswer } as const;
const CREATED = { 201: ChangeAnswer } as const;

export const commandRoutes = (commands: Commands) => ({
  /** Creates an entity. */
  create: <Body extends z.ZodType>(
    path: string,
    access: RouteAccess,
    body: Body,
    definition: CommandDefinition<{ body: z.infer<Body> }>,
    options: BodyOptions,
  ): Route =>
    route('post', path, access, { answers: CREATED, body, ...options }, (request) =>
      commands.handle(definition, request, { body: request.body }),
    ),

  /** Changes the entity in the path. The command gets the revision that the request expects, if any. */
  change: <Body extends z.ZodType>(
    method: 'post' | 'put' | 'patch',
    path: string,
    access: RouteAccess,
    body: Body,
    definition: CommandDefinition<{ id: number; body: z.infer<Body>; seen?: number }>,
    document: Document,
  ): Route =>
    route(method, path, access, { answers: CHANGED, body, ...document }, (request) =>
      commands.handle(definition, request, {
        id: idParam(request),
        body: request.body,
        ...expectedRevisionOf(request),
      }),
    ),

  /** Deletes the entity in the path. The command gets the revision that the request expects, if any. */
  remove: (
    path: string,
    access: RouteAccess,
    definition: CommandDefinition<{ id: number; seen?: number }>,
    document: Document,
  ): Route =>
    route('delete', path, access, { answers: CHANGED, ...document }, (request) =>
      commands.handle(definition, request, { id: idParam(request), ...expectedRevisionOf(request) }),
    ),

  /** Runs a command without an expected revision, such as a change of rows, on the entity in the path. */
  changeAnyRevision: <Body extends z.ZodType>(
    method: 'post' | 'patch' | 'delete',
    path: string,
    access: RouteAccess,
    body: Body,
    definition: CommandDefinition<{ id: number; body: z.infer<Body> }>,
    options: BodyOptions,
  ): Route =>
    route(method, path, access, { answers: CHANGED, body, ...options }, (request) =>
      commands.handle(definition, request, { id: idParam(request), body: request.body }),
    ),
});
