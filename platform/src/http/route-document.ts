/** The description of a route for the API reference: answers, errors and an example that runs. */
import type { RefusalCode } from '@rdm/contracts';
import type { z } from 'zod';

/** The body of a response: the schema of its JSON, or the media types of files and streams, or null for no body. */
export type AnswerBody = z.ZodType | readonly string[] | null;

export type AnswerStatus = 200 | 201 | 202 | 204 | 206;

/** The source of a value of an example that differs between installations, such as the id of an uploaded file. */
export interface ValueSource {
  /** The method and path of the operation whose response has the value, such as `POST /api/imports`. */
  operation: string;
  /** The name of an example in the `moreExamples` of the operation; if left out, its `example` is meant. */
  example?: string;
  /** The property of the response that has the value. */
  property: string;
}

/** An example request that runs on the sample data. A path parameter that is left out is 1. */
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
