// Writes src/api/shapes.json from src/api/schema.d.ts: the form of each answer, which
// the console compares with what comes, because types end with the compiler.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import ts from "typescript";

/** @typedef {string | { [field: string]: Form }} Form */
/** @typedef {{ answers: Record<string, Form | null>, schemas: Record<string, Form> }} Shapes */

/**
 * The forms of all answers of a success. A form is `s` a text, `t` a time, `n` a number,
 * `b` a truth value, `*` anything, `?x` x or null, `[x` a list of x, `{x` values x by
 * name, `#Name` a schema, or the fields of an object, where `name?` may be absent.
 * null stands for no content.
 * @param {string} text @returns {Shapes}
 */
export function shapesOf(text) {
  const file = ts.createSourceFile("schema.d.ts", text, ts.ScriptTarget.ES2022, true);
  const [paths, components, operations] = ["paths", "components", "operations"].map((name) => membersOf(interfaceOf(file, name)));
  const all = membersOf(typeOf(components?.get("schemas")));
  /** @type {Shapes} */
  const shapes = { answers: {}, schemas: {} };
  for (const [path, item] of paths ?? []) {
    for (const [method, operation] of membersOf(typeOf(item))) {
      const id = /^operations\["(.+)"\]$/.exec(typeOf(operation).getText())?.[1];
      if (id === undefined) continue;
      const content = successOf(membersOf(typeOf(operations?.get(id))));
      shapes.answers[`${method} ${path}`] = content === null ? null : formOf(content, "");
    }
  }
  const wanted = ["FieldProblem"];
  const visit = (/** @type {Form | null} */ form) => {
    for (const [, name] of JSON.stringify(form).matchAll(/#(\w+)/g)) if (name !== undefined && !wanted.includes(name)) wanted.push(name);
  };
  Object.values(shapes.answers).forEach(visit);
  for (const name of wanted) {
    const form = formOf(typeOf(all.get(name)), "");
    shapes.schemas[name] = form;
    visit(form);
  }
  shapes.schemas = Object.fromEntries(Object.entries(shapes.schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
  return shapes;
}

/** @param {ts.SourceFile} file @param {string} name */
function interfaceOf(file, name) {
  const found = file.statements.find((statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name);
  if (!found || !ts.isInterfaceDeclaration(found)) throw new Error(`schema.d.ts has no ${name}`);
  return found;
}

/** @param {ts.Node} node @returns {Map<string, ts.PropertySignature>} */
function membersOf(node) {
  const members = ts.isInterfaceDeclaration(node) || ts.isTypeLiteralNode(node) ? node.members : [];
  return new Map(members.flatMap((member) => (ts.isPropertySignature(member) ? [[keyOf(member), member]] : [])));
}

/** @param {ts.PropertySignature} member */
function keyOf(member) {
  return ts.isStringLiteral(member.name) || ts.isNumericLiteral(member.name) || ts.isIdentifier(member.name) ? member.name.text : "";
}

/** @param {ts.PropertySignature | undefined} member */
function typeOf(member) {
  if (!member?.type) throw new Error("schema.d.ts is not as expected");
  return member.type;
}

/** @param {Map<string, ts.PropertySignature>} operation */
function successOf(operation) {
  for (const [status, response] of membersOf(typeOf(operation.get("responses")))) {
    if (!/^2\d\d$/.test(status)) continue;
    const content = membersOf(typeOf(response)).get("content");
    const json = content && membersOf(typeOf(content)).get("application/json");
    if (json) return typeOf(json);
  }
  return null;
}

/** @param {ts.TypeNode} node @param {string} comment what stands above it @returns {Form} */
function formOf(node, comment) {
  if (ts.isParenthesizedTypeNode(node)) return formOf(node.type, comment);
  if (ts.isUnionTypeNode(node)) return unionForm(node, comment);
  if (ts.isArrayTypeNode(node)) return `[${named(formOf(node.elementType, ""))}`;
  if (ts.isTypeLiteralNode(node)) return objectForm(node);
  if (ts.isLiteralTypeNode(node)) return ts.isStringLiteral(node.literal) ? "s" : ts.isNumericLiteral(node.literal) ? "n" : "b";
  if (node.kind === ts.SyntaxKind.StringKeyword) return comment.includes("Format: date-time") ? "t" : "s";
  if (node.kind === ts.SyntaxKind.NumberKeyword) return "n";
  if (node.kind === ts.SyntaxKind.BooleanKeyword) return "b";
  const schema = /^components\["schemas"\]\["(\w+)"\]$/.exec(node.getText())?.[1];
  return schema === undefined ? "*" : `#${schema}`;
}

/** @param {ts.UnionTypeNode} node @param {string} comment @returns {Form} */
function unionForm(node, comment) {
  const isNull = (/** @type {ts.TypeNode} */ one) => ts.isLiteralTypeNode(one) && one.literal.kind === ts.SyntaxKind.NullKeyword;
  const forms = [...new Set(node.types.filter((one) => !isNull(one)).map((one) => named(formOf(one, comment))))];
  const [form = "*"] = forms.length === 1 ? forms : [];
  return node.types.some(isNull) && form !== "*" ? `?${form}` : form;
}

/** @param {ts.TypeLiteralNode} node @returns {Form} */
function objectForm(node) {
  const index = node.members.find((member) => ts.isIndexSignatureDeclaration(member));
  if (index && ts.isIndexSignatureDeclaration(index)) return `{${named(formOf(index.type, ""))}`;
  return Object.fromEntries([...membersOf(node)].map(([key, member]) => {
    const comment = ts.getLeadingCommentRanges(member.getSourceFile().text, member.pos)?.map(({ pos, end }) => member.getSourceFile().text.slice(pos, end)).join("") ?? "";
    return [member.questionToken ? `${key}?` : key, formOf(typeOf(member), comment)];
  }));
}

/** @param {Form} form */
function named(form) {
  if (typeof form !== "string") throw new Error("an object in a list or union needs a name");
  return form;
}

/** The text of the file. @param {Shapes} shapes */
export function written(shapes) {
  return JSON.stringify(shapes, null, 1) + "\n";
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  writeFileSync("src/api/shapes.json", written(shapesOf(readFileSync("src/api/schema.d.ts", "utf8"))));
}
