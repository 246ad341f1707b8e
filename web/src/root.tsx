import { useEffect } from "react";
import { QueryErrorResetBoundary, useQueryErrorResetBoundary, type QueryClient } from "@tanstack/react-query";
import { createRootRouteWithContext, createRoute, Link, Outlet, redirect, retainSearchParams, useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useWords } from "./i18n/words";
import { sessionQuery } from "./api/session";
import { Frame } from "./components/frame";
import { FrameLoading } from "./components/frame-loading";
import { PageHead } from "./components/head";
import { Empty, Failed } from "./components/states";

export interface RouterContext {
  queries: QueryClient;
}

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: () => <QueryErrorResetBoundary><Outlet /></QueryErrorResetBoundary>,
});

/** What stands in the address on every page: the cluster, and words searched for. */
export interface FrameSearch {
  cluster?: string | undefined;
  q?: string | undefined;
}

/** A parameter of the address that is a text; undefined: it is not there. */
export function textParam(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** The parent of all pages that need somebody who is signed in. */
export const frameRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "frame",
  validateSearch: (search: Record<string, unknown>): FrameSearch => ({
    cluster: textParam(search["cluster"]),
    q: textParam(search["q"]),
  }),
  search: { middlewares: [retainSearchParams(["cluster"])] },
  beforeLoad: async ({ context, location }) => {
    const identity = await context.queries.query({ ...sessionQuery, staleTime: "static" });
    if (!identity) throw redirect({ to: "/sign-in", search: { back: location.href }, replace: true });
  },
  component: Frame,
  // Whoever is known already sees no more than a blink of it.
  pendingComponent: FrameLoading,
  pendingMs: 100,
});

/** Every other address: whoever is signed in sees the frame and that nothing is there. */
export const restRoute = createRoute({ getParentRoute: () => frameRoute, path: "/$", component: NotFound });

/** There is no page at this address. */
export function NotFound() {
  const { t } = useWords();
  return (
    <>
      <PageHead title={t("failure.no_page")} />
      <Empty title={t("failure.no_page_why")} action={<Link to="/" className="btn">{t("failure.home")}</Link>} />
    </>
  );
}

/** A page broke while it was drawn or its data were read. */
export function Broken({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  useEffect(() => { queries.reset(); }, [queries]);
  return <Failed error={error} onRetry={() => { reset(); void router.invalidate(); }} />;
}
