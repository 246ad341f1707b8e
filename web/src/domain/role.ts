/** What somebody may do, the least first. */
export const roles = ["auditor", "operator", "admin"] as const;

export type RoleName = (typeof roles)[number];

/** The role of a text; what is none counts as the least. */
export function roleOf(text: string): RoleName {
  return roles.find((role) => role === text) ?? "auditor";
}

/** The roles that are not more than this one. */
export function rolesUpTo(role: RoleName): readonly RoleName[] {
  return roles.slice(0, roles.indexOf(role) + 1);
}
