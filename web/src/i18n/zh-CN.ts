import { merge, type Messages } from "./merge";

export default merge(import.meta.glob<Messages>(["./zh-CN/*.ts", "!./zh-CN/finding-about.ts"], { eager: true, import: "default" }));
