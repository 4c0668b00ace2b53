// SPDX-License-Identifier: Apache-2.0
// Faults for TypeScript, by its syntax tree: types, imports and what is thrown stay as they are, and so does
// what the type checker asks for behind an index that is never out of range.

import ts from "typescript";

import type { Mutant, MutantRule } from "./mutant.ts";

const offByOne: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };
const otherOperator: Readonly<Record<string, string>> = {
  "+": "-",
  "*": "+",
  "&": "|",
  "|": "&",
  "===": "!==",
  "!==": "===",
};
const ordered = new Set(["-", "/", "%", "<<", ">>", ">>>", "**"]);
const assignments = new Set(["=", "+=", "-=", "*=", "|=", "&=", "^=", "<<=", ">>=", ">>>="]);

function numberAfter(text: string): string {
  if (text.endsWith("n")) return `${String(BigInt(text.slice(0, -1)) + 1n)}n`;
  return String(Number(text.replaceAll("_", "")) + 1);
}

/** A simple operand: a name, a member, a number. */
const simple = (node: ts.Node): boolean =>
  ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) || ts.isNumericLiteral(node);

export function typescriptMutants(file: string, source: string): readonly Mutant[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const add = (rule: MutantRule, node: ts.Node, text: string): void => {
    mutants.push({ file, rule, start: node.getStart(tree), end: node.end, text });
  };
  const text = (node: ts.Node): string => node.getText(tree);

  const binary = (node: ts.BinaryExpression): void => {
    const { left, right, operatorToken } = node;
    const operator = operatorToken.getText(tree);
    const nearly = offByOne[operator];
    if (nearly !== undefined) add("off by one", operatorToken, nearly);
    const other = otherOperator[operator];
    const words = ts.isStringLiteral(left) || ts.isStringLiteral(right);
    if (other !== undefined && !words) add("wrong operand", operatorToken, other);
    if (ordered.has(operator))
      add("wrong operand", node, `(${text(right)}) ${operator} (${text(left)})`);
    if (operator === "&&" || operator === "||") add("stuck bit", node, text(left));
  };
  const call = (node: ts.CallExpression): void => {
    const [a, b] = node.arguments;
    if (a !== undefined && b !== undefined && simple(a) && simple(b) && text(a) !== text(b)) {
      const both = { file, start: a.getStart(tree), end: b.end };
      mutants.push({ ...both, rule: "swapped port", text: `${text(b)}, ${text(a)}` });
    }
    const name = text(node.expression);
    if (name === "Math.min") add("wrong operand", node.expression, "Math.max");
    if (name === "Math.max") add("wrong operand", node.expression, "Math.min");
  };
  const drop = (node: ts.ExpressionStatement): void => {
    const { expression } = node;
    const assigns =
      ts.isBinaryExpression(expression) && assignments.has(expression.operatorToken.getText(tree));
    if (assigns) add("dropped reset", node, ";");
  };
  /** `a[i] ?? 0`, whose right side is never evaluated. */
  const fallback = (node: ts.Node): ts.Expression | undefined => {
    if (!ts.isBinaryExpression(node) || !ts.isElementAccessExpression(node.left)) return undefined;
    return node.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken ? node.left : undefined;
  };
  /** `if (a === undefined) throw`. */
  const guard = (node: ts.Node): boolean =>
    ts.isIfStatement(node) &&
    ts.isThrowStatement(node.thenStatement) &&
    / === undefined$/.test(text(node.expression));
  const visit = (node: ts.Node): void => {
    const indexed = fallback(node);
    if (indexed !== undefined) {
      visit(indexed);
      return;
    }
    if (guard(node)) return;
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isThrowStatement(node)) return;
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isNumericLiteral(node) || ts.isBigIntLiteral(node)) {
      add("off by one", node, numberAfter(text(node)));
    } else if (ts.isBinaryExpression(node)) binary(node);
    else if (ts.isCallExpression(node)) call(node);
    else if (ts.isExpressionStatement(node)) drop(node);
    if (ts.isIfStatement(node)) {
      add("stuck bit", node.expression, "true");
      add("stuck bit", node.expression, "false");
    } else if (ts.isConditionalExpression(node)) {
      add("stuck bit", node.condition, "true");
      add("stuck bit", node.condition, "false");
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return mutants;
}
