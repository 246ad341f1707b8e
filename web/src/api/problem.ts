import type { components } from "./schema";
import { misfit } from "./shape";

export type Problem = components["schemas"]["Problem"];
export type FieldProblem = components["schemas"]["FieldProblem"];

/**
 * An answer that is no success. `code` is that of the server, or else `network` when
 * there was no answer, `slow` when it did not end in time, `unreadable` when it was not
 * the server's own, and `misfit` when it has another form than the console knows, with
 * the place in `detail`. `requestId` is "" where none came, `status` 0 for the first two.
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

const problemForm = { code: "s", detail: "s", "request_id?": "s", "errors?": "[#FieldProblem" };

function isProblem(body: unknown): body is Pick<Problem, "code" | "detail"> & Partial<Problem> {
  return misfit(body, problemForm) === null;
}

/** Seconds to wait, of a header that has them or a time; null: not told. */
function waitOf({ headers }: Response): number | null {
  const told = headers.get("Retry-After");
  if (told === null || told.trim() === "") return null;
  const seconds = /^\s*\d+\s*$/.test(told) ? Number(told) : Math.ceil((Date.parse(told) - Date.parse(headers.get("Date") ?? "")) / 1000);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : null;
}

/** Makes an error of what the server answered; body is undefined if it was not JSON. */
export function problemOf(body: unknown, response: Response): ApiError {
  const requestId = response.headers.get("X-Request-Id") ?? "";
  const wait = waitOf(response);
  if (!isProblem(body)) return new ApiError("unreadable", response.status, "", requestId, [], wait);
  const { code, detail, request_id = requestId, errors = [] } = body;
  return new ApiError(code, response.status, detail, request_id, errors, wait);
}

// Faults after which the request may have been carried out all the same.
const unsure = new Set(["network", "slow", "misfit", "internal_error", "timeout", "database_unavailable"]);

/** Whether nobody knows if what was asked for has been done. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  const refused = error.status >= 400 && error.status < 500;
  return unsure.has(error.code) || (error.code === "unreadable" && !refused);
}

/** Tells that the session is over: whoever asks has to sign in again. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unauthenticated";
}
