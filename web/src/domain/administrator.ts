import type { RoleName } from "./role";

export interface AdministratorDraft {
  role: RoleName;
  /** "": as it is. */
  password: string;
  /** "": none. */
  subject: string;
}

/** What of an administrator a draft changes; of nobody yet, all that it gives. */
export function administratorChange(
  old: { role: RoleName; subject: string | null } | null,
  draft: AdministratorDraft,
): { role?: RoleName; password?: string; subject?: string } {
  const subject = draft.subject.trim();
  return {
    ...(old?.role === draft.role ? {} : { role: draft.role }),
    ...(draft.password === "" ? {} : { password: draft.password }),
    ...((old?.subject ?? "") === subject ? {} : { subject }),
  };
}
