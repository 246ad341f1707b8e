import type { Way } from "../../domain/plan";

/** What somebody has chosen and typed below a plan. */
export interface Choice {
  /** null: the one that works with the present rights. */
  way: Way | null;
  confirm: string;
  password: string;
  otp: string;
}

export const emptyChoice: Choice = { way: null, confirm: "", password: "", otp: "" };
