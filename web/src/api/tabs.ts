/** What one page of the console tells the others in this browser about the session they share. */
export type SessionNews = "signed-in" | "signed-out";

const channel = typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("pciatlas.session");

/** Tells all other pages of the console in this browser. */
export function tellTabs(news: SessionNews): void {
  channel?.postMessage(news);
}

/**
 * Calls back when another page has signed in or out, and with "signed-in" when this
 * page comes back as the browser kept it: the session may be another one since.
 */
export function hearTabs(listener: (news: SessionNews) => void): void {
  channel?.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
    if (data === "signed-in" || data === "signed-out") listener(data);
  });
  window.addEventListener("pageshow", ({ persisted }) => { if (persisted) listener("signed-in"); });
}
