/** The description of a route for the API reference: answers, errors and an example that runs. */
import type { RefusalCode } from '@rdm/contracts';
import type { z } from 'zod';

/** The body of a response: the schema of its JSON, or the media types of files and streams, or null for no body. */
export type AnswerBody = z.ZodType | readonly string[] | null;

export type AnswerStatus = 200 | 201 | 202 | 204 | 206;

/** The source of an example value that differs between installations, such as a file id. */
export interface ValueSource {
  /** The method and path of the operation whose response has the value, such as `POST /api/imports`. */
  operation: string;
  /** A name in the operation's `moreExamples`. The default is the operation's `example`. */
  example?: string;
  /** The property of the response that has the value. */
  property: string;
}

/** An example request that runs on the sample data. The default of path parameters is 1. */
export interface RouteExample {
  params?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, string | number>>;
  body?: unknown;
  /** Sources of values that differ between installations, by parameter or property of the body. */
  from?: Readonly<Record<string, ValueSource>>;
}

export interface RouteDocument {
  /** The action of the route, in the imperative: “List the data sets”. */
  summary: string;
  answers: Readonly<Partial<Record<AnswerStatus, AnswerBody>>>;
  /** Refusals of this route, in addition to those that follow from its declaration (`errorsOf`). */
  errors?: readonly RefusalCode[];
  /** The schemas of the body by media type, for a route that reads the request itself. */
  consumes?: Readonly<Record<string, z.ZodType>>;
  example?: RouteExample;
  /** Further example requests, by a name that describes what they do. */
  moreExamples?: Readonly<Record<string, RouteExample>>;
}
