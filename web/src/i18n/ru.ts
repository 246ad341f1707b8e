import { merge, type Messages } from "./merge";

export default merge(import.meta.glob<Messages>(["./ru/*.ts", "!./ru/finding-about.ts"], { eager: true, import: "default" }));
