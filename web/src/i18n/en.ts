import { merge, type Messages } from "./merge";

export default merge(import.meta.glob<Messages>("./en/*.ts", { eager: true, import: "default" }));
