import { setServerTime } from "../domain/clock";
import { ApiError } from "./problem";

// The server ends each of its answers within 90 s.
const longest = 100_000;
// What asks no node is answered at once.
const longestWithoutNodes = 30_000;
// The longest answer of 5,000 devices and 10,000 VMs has a few MB.
const mostBytes = 64 * 1024 * 1024;

// An answer with one of these has no body, and none can be made with one.
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);

function timeFor(address: string): number {
  return /\/cluster(?:s\/|-test$)/.test(new URL(address).pathname) ? longest : longestWithoutNodes;
}

/**
 * Sends a request and waits for the whole answer. An answer that does not end in time is
 * an ApiError `slow`, one that is longer than any of the server's is `unreadable`.
 */
export async function fetchWhole(request: Request): Promise<Response> {
  const end = new AbortController();
  const slow = new ApiError("slow", 0, "");
  const timer = setTimeout(() => { end.abort(slow); }, timeFor(request.url));
  try {
    const response = await globalThis.fetch(request, { signal: AbortSignal.any([request.signal, end.signal]) });
    const { status, statusText, headers } = response;
    // The server numbers its answers: the clock of something in between is not its clock.
    if (headers.has("X-Request-Id")) setServerTime(headers.get("Date"));
    if (response.body === null || withoutBody.has(status)) return response;
    return new Response(await bodyOf(response, response.body), { status, statusText, headers });
  } catch (error) {
    throw end.signal.aborted ? slow : error;
  } finally {
    clearTimeout(timer);
  }
}

async function bodyOf({ status, headers }: Response, stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Blob> {
  const reader = stream.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    parts.push(value);
    length += value.byteLength;
    if (length <= mostBytes) continue;
    await reader.cancel();
    throw new ApiError("unreadable", status, "", headers.get("X-Request-Id") ?? "");
  }
}
