#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
// The reference of the doors, made from the declarations that TypeScript writes (build/js), as Markdown:
// every export with its signature and what its comment says.   node tools/api-reference.mjs OUT.md

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = new URL("..", import.meta.url);
const manifest = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const doors = Object.entries(manifest.exports).flatMap(([door, { types }]) =>
  types === undefined ? [] : [[door.replace(/^\./, manifest.name), fileURLToPath(new URL(types, root))]],
);
const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2022, strict: true, skipLibCheck: true };
const program = ts.createProgram(doors.map(([, file]) => file), options);
const checker = program.getTypeChecker();

/** A declaration without its comments and the words that only a compiler needs. */
function signature(node) {
  const whole = ts.isVariableDeclaration(node) ? node.parent.parent : node;
  const printer = ts.createPrinter({ removeComments: false });
  return printer
    .printNode(ts.EmitHint.Unspecified, whole, whole.getSourceFile())
    .replace(/^\/\*\*[\s\S]*?\*\/\s*/, "")
    .replace(/\b(?:export |declare )+/g, "");
}

function entry(name, symbol) {
  const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  const nodes = real.declarations ?? [];
  const says = ts.displayPartsToString(real.getDocumentationComment(checker));
  const tags = real.getJsDocTags(checker).map((tag) => `*${tag.name}* ${ts.displayPartsToString(tag.text)}`);
  const text = [says, ...tags].filter((part) => part !== "").join("\n\n");
  return `### ${name}\n\n${text === "" ? "" : `${text}\n\n`}\`\`\`ts\n${nodes.map(signature).join("\n")}\n\`\`\`\n`;
}

const parts = doors.map(([door, file]) => {
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is no module: run make build first`);
  const names = checker.getExportsOfModule(module).sort((a, b) => (a.name < b.name ? -1 : 1));
  return `## ${door}\n\n${names.map((one) => entry(one.name, one)).join("\n")}`;
});
const [out] = process.argv.slice(2);
const page = `# The doors\n\nMade by \`make docs\` from the declarations of neardata ${manifest.version}.\n\n${parts.join("\n")}`;
if (out === undefined) process.stdout.write(page);
else writeFileSync(out, page);
