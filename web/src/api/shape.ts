import written from "./shapes.json";

/** The form of a value; scripts/shapes.mjs says how it is written. */
export type Form = string | { readonly [field: string]: Form };

const shapes: { answers: Record<string, Form | null>; schemas: Record<string, Form> } = written;

/** What an operation answers, like "get /api/v1/clusters"; null: no content; undefined: nobody knows. */
export function formOfAnswer(operation: string): Form | null | undefined {
  return shapes.answers[operation];
}

/**
 * Finds the first place where a value is not as its form says, like `devices[3].state`;
 * null: there is none. Fields that the form does not have, and words that it does not
 * know, are no fault: a newer server may have them.
 */
export function misfit(value: unknown, form: Form, schemas: Record<string, Form> = shapes.schemas): string | null {
  const place = find(value, form, schemas);
  return place === null ? null : place.replace(/^\./, "");
}

function find(value: unknown, form: Form, schemas: Record<string, Form>): string | null {
  if (typeof form !== "string") return inFields(value, form, schemas);
  const rest = form.slice(1);
  switch (form[0]) {
    case "*": return null;
    case "?": return value === null ? null : find(value, rest, schemas);
    case "#": return find(value, schemas[rest] ?? "*", schemas);
    case "[": return Array.isArray(value) ? inList(value, rest, schemas) : "";
    case "{": return inNamed(value, rest, schemas);
    case "s": return typeof value === "string" ? null : "";
    case "t": return typeof value === "string" && !Number.isNaN(Date.parse(value)) ? null : "";
    case "n": return typeof value === "number" ? null : "";
    default: return typeof value === "boolean" ? null : "";
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function inFields(value: unknown, fields: { readonly [field: string]: Form }, schemas: Record<string, Form>): string | null {
  if (!isObject(value)) return "";
  for (const [field, form] of Object.entries(fields)) {
    const name = field.replace("?", "");
    if (name !== field && value[name] === undefined) continue;
    const place = find(value[name], form, schemas);
    if (place !== null) return `.${name}${place}`;
  }
  return null;
}

function inList(value: readonly unknown[], form: Form, schemas: Record<string, Form>): string | null {
  for (const [index, one] of value.entries()) {
    const place = find(one, form, schemas);
    if (place !== null) return `[${index}]${place}`;
  }
  return null;
}

function inNamed(value: unknown, form: Form, schemas: Record<string, Form>): string | null {
  if (!isObject(value)) return "";
  for (const [name, one] of Object.entries(value)) {
    const place = find(one, form, schemas);
    if (place !== null) return `.${name}${place}`;
  }
  return null;
}
