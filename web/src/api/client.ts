import createClient from "openapi-fetch";
import { ApiError, problemOf } from "./problem";
import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** The operations of the server. Its answers go through `answer`. */
export const client = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: "same-origin",
  // Looked up on each call: tests replace it.
  fetch: (request) => globalThis.fetch(request),
});

interface Reply<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Waits for an answer: its data, or an ApiError. Only the end of a query's interest comes through as it is. */
export async function answer<T>(request: Promise<Reply<T>>): Promise<T> {
  let reply: Reply<T>;
  try {
    reply = await request;
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new ApiError(error instanceof SyntaxError ? "unreadable" : "network", 0, "");
  }
  if (!reply.response.ok) throw problemOf(reply.error, reply.response);
  return reply.data as T;
}
