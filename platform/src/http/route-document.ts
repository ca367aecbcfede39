/** The description of a route for the API reference: answers, errors and an example that runs. */
import type { RefusalCode } from '@rdm/contracts';
import type { z } from 'zod';

/** The body of an answer: the schema of its JSON, media types of files and streams, or null for none. */
export type AnswerBody = z.ZodType | readonly string[] | null;

export type AnswerStatus = 200 | 201 | 202 | 204 | 206;

/** Where a value of an example comes from that no document can know, such as the id of an uploaded file. */
export interface ValueSource {
  /** Method and path of the operation whose answer holds the value: `POST /api/imports`. */
  operation: string;
  /** Which of its examples, if it is not the first: the name in `moreExamples`. */
  example?: string;
  /** The property of the answer. */
  property: string;
}

/** A request that runs on the sample data; a path parameter that is left out is 1. */
export interface RouteExample {
  params?: Readonly<Record<string, string | number>>;
  query?: Readonly<Record<string, string | number>>;
  body?: unknown;
  /** Values that differ between installations, by parameter or property of the body. */
  from?: Readonly<Record<string, ValueSource>>;
}

export interface RouteDocument {
  /** The action of the route, in the imperative: “List the data sets”. */
  summary: string;
  answers: Readonly<Partial<Record<AnswerStatus, AnswerBody>>>;
  /** Refusals of this route, in addition to those that follow from its declaration (`errorsOf`). */
  errors?: readonly RefusalCode[];
  /** The body of a route that reads the request itself, by media type. */
  consumes?: Readonly<Record<string, z.ZodType>>;
  example?: RouteExample;
  /** Other requests to the same route, by what they do. */
  moreExamples?: Readonly<Record<string, RouteExample>>;
}
