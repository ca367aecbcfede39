/** Declares routes that run one command with the parts of the request that most commands take. */
import { idParam, type Route, type RouteAccess, route } from '@rdm/platform';
import type { z } from 'zod';
import type { CommandDefinition, Commands } from './commands.ts';
import { expectedRevisionOf } from './expected-revision.ts';

interface BodyOptions {
  /** The most bytes of the body. */
  limit?: number;
}

export const commandRoutes = (commands: Commands) => ({
  /** Creates an entity. */
  create: <Body extends z.ZodType>(
    path: string,
    access: RouteAccess,
    body: Body,
    definition: CommandDefinition<{ body: z.infer<Body> }>,
    options: BodyOptions = {},
  ): Route =>
    route('post', path, access, { body, ...options }, (request) =>
      commands.handle(definition, request, { body: request.body }),
    ),

  /** Changes the entity in the path, if it has the revision that the request expects. */
  change: <Body extends z.ZodType>(
    method: 'post' | 'put' | 'patch',
    path: string,
    access: RouteAccess,
    body: Body,
    definition: CommandDefinition<{ id: number; body: z.infer<Body>; seen?: number }>,
  ): Route =>
    route(method, path, access, { body }, (request) =>
      commands.handle(definition, request, {
        id: idParam(request),
        body: request.body,
        ...expectedRevisionOf(request),
      }),
    ),

  /** Deletes the entity in the path, if it has the revision that the request expects. */
  remove: (path: string, access: RouteAccess, definition: CommandDefinition<{ id: number; seen?: number }>): Route =>
    route('delete', path, access, {}, (request) =>
      commands.handle(definition, request, { id: idParam(request), ...expectedRevisionOf(request) }),
    ),

  /** Changes what belongs to the entity in the path, whatever revision the entity has. */
  changeWithin: <Body extends z.ZodType>(
    method: 'post' | 'patch' | 'delete',
    path: string,
    access: RouteAccess,
    body: Body,
    definition: CommandDefinition<{ id: number; body: z.infer<Body> }>,
    options: BodyOptions = {},
  ): Route =>
    route(method, path, access, { body, ...options }, (request) =>
      commands.handle(definition, request, { id: idParam(request), body: request.body }),
    ),
});
