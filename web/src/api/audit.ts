import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { answer, client, type Schemas } from "./client";

export type AuditEntry = Schemas["AuditEntry"];

/** What the entries have to be; undefined: anything. */
export interface AuditFilter {
  actor?: string | undefined;
  action?: string | undefined;
  object?: string | undefined;
  /** Not older, a time in RFC 3339. */
  since?: string | undefined;
  /** Older, a time in RFC 3339. */
  until?: string | undefined;
}

/** So many entries are read at a time. */
const pageLength = 100;

/** The log, newest first, page by page. */
export function useAudit(filter: AuditFilter) {
  const wanted = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as Record<string, string>;
  return useInfiniteQuery({
    queryKey: ["audit", wanted],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...wanted, limit: pageLength, ...(pageParam === null ? {} : { before: pageParam }) };
      return answer(client.GET("/api/v1/audit", { params: { query }, signal }));
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => last.next,
  });
}

/** One entry that no list has to show; null: the log has none with this id. */
export function useAuditEntry(id: number | string, wanted: boolean) {
  return useQuery({
    queryKey: ["audit", "entry", id],
    queryFn: async ({ signal }) => {
      if (typeof id === "string" || id < 1 || !Number.isSafeInteger(id + 1)) return null;
      const query = { before: id + 1, limit: 1 };
      const { entries } = await answer(client.GET("/api/v1/audit", { params: { query }, signal }));
      return entries.find((entry) => entry.id === id) ?? null;
    },
    enabled: wanted,
  });
}
