/**
 * The path to go back to after signing in: one of this console, never another site,
 * and neither the sign-in page nor the set-up page.
 */
export function safeBack(back: unknown): string {
  if (typeof back !== "string" || !/^\/(?![/\\])/.test(back)) return "/";
  return /^\/(?:sign-in|setup)(?:[/?#]|$)/.test(back) ? "/" : back;
}
