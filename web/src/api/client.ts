import createClient from "openapi-fetch";
import { ApiError, problemOf } from "./problem";
import type { components, paths } from "./schema";
import { formOfAnswer, misfit } from "./shape";
import { fetchWhole } from "./whole";

export type Schemas = components["schemas"];

/** The operations of the server. Its answers go through `answer`. */
export const client = createClient<paths>({
  baseUrl: window.location.origin,
  credentials: "same-origin",
  fetch: fetchWhole,
});

// Which operation an answer belongs to, like "get /api/v1/clusters".
const operations = new WeakMap<Response, string>();

client.use({
  onResponse: ({ request, response, schemaPath }) => {
    operations.set(response, `${request.method.toLowerCase()} ${schemaPath}`);
  },
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
    if (error instanceof ApiError || (error instanceof DOMException && error.name === "AbortError")) throw error;
    // Only a success is read as JSON, or is a fault.
    if (error instanceof SyntaxError) throw new ApiError("unreadable", 200, "");
    throw new ApiError("network", 0, "");
  }
  if (!reply.response.ok) throw problemOf(reply.error, reply.response);
  checkForm(reply);
  return reply.data as T;
}

/** What the console draws has the form that it knows, or is not drawn at all. */
function checkForm({ data, response }: Reply<unknown>): void {
  const form = formOfAnswer(operations.get(response) ?? "");
  if (form === undefined) return;
  const id = response.headers.get("X-Request-Id") ?? "";
  if (form === null) {
    if (response.status !== 204) throw new ApiError("unreadable", response.status, "", id);
    return;
  }
  // Nothing, or something that is no object, is of somebody else; the rest may be of another version.
  const place = misfit(data, form);
  if (place === "") throw new ApiError("unreadable", response.status, "", id);
  if (place !== null) throw new ApiError("misfit", response.status, place, id);
}
