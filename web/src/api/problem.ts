import type { components } from "./schema";

export type Problem = components["schemas"]["Problem"];
export type FieldProblem = components["schemas"]["FieldProblem"];

/**
 * An answer that is no success. `code` is that of the server, or `network` when there
 * was no answer and `unreadable` when it was not the server's own. `requestId` is ""
 * for these two, `status` 0 for the first.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly at = new Date();

  constructor(
    readonly code: string,
    readonly status: number,
    readonly detail: string,
    readonly requestId = "",
    readonly fields: readonly FieldProblem[] = [],
    /** Seconds to wait before the next attempt; null: not told. */
    readonly retryAfter: number | null = null,
  ) {
    super(detail);
  }
}

function isProblem(value: unknown): value is Problem {
  return typeof value === "object" && value !== null && "code" in value && typeof value.code === "string";
}

/** Makes an error of what the server answered; body is undefined if it was not JSON. */
export function problemOf(body: unknown, response: Response): ApiError {
  const requestId = response.headers.get("X-Request-Id") ?? "";
  if (!isProblem(body)) return new ApiError("unreadable", response.status, "", requestId);
  const wait = Number(response.headers.get("Retry-After") ?? Number.NaN);
  return new ApiError(
    body.code,
    response.status,
    body.detail,
    body.request_id,
    body.errors ?? [],
    Number.isFinite(wait) ? wait : null,
  );
}

/** Tells that the session is over: whoever asks has to sign in again. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unauthenticated";
}
