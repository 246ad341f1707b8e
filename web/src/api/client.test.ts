import { afterEach, expect, test, vi } from "vitest";
import { answer, client } from "./client";
import { ApiError, isSignedOut } from "./problem";

afterEach(() => { vi.unstubAllGlobals(); });

function serve(body: string, init: ResponseInit): void {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(body, init)));
}

async function fault(): Promise<ApiError> {
  const error: unknown = await answer(client.GET("/api/v1/clusters")).catch((thrown: unknown) => thrown);
  if (!(error instanceof ApiError)) throw new Error("no ApiError was thrown");
  return error;
}

test("a problem keeps its code, request and fields", async () => {
  const problem = { code: "too_many_attempts", detail: "Wait.", request_id: "1f", errors: [{ field: "body.name", message: "short" }] };
  serve(JSON.stringify(problem), { status: 429, headers: { "Content-Type": "application/problem+json", "Retry-After": "7" } });
  const error = await fault();
  expect(error).toMatchObject({ code: "too_many_attempts", status: 429, requestId: "1f", detail: "Wait.", retryAfter: 7 });
  expect(error.fields).toEqual([{ field: "body.name", message: "short" }]);
  expect(isSignedOut(error)).toBe(false);
});

test.each([
  ["a page of a proxy", "<html>502</html>", 502],
  ["JSON of somebody else", '{"message":"no"}', 500],
  ["nothing", "", 503],
])("%s is no answer of the server", async (_, body, status) => {
  serve(body, { status });
  expect(await fault()).toMatchObject({ code: "unreadable", status });
});

test("a page instead of data is unreadable", async () => {
  serve("<html>sign in to the network</html>", { status: 200 });
  expect(await fault()).toMatchObject({ code: "unreadable" });
});

test("no answer is a fault of the network", async () => {
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("Failed to fetch")));
  expect(await fault()).toMatchObject({ code: "network", status: 0 });
});

test("the end of the session is known by its code", async () => {
  serve(JSON.stringify({ code: "unauthenticated", detail: "Sign in." }), { status: 401 });
  expect(isSignedOut(await fault())).toBe(true);
});
