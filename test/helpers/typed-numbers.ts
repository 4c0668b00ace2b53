// SPDX-License-Identifier: Apache-2.0
// Findings whose own number is typed instead of computed: `ours` consists of literals only, which may be in
// the call, in a constant that it names, or in a table over which it iterates.

import ts from "typescript";

/** The makers of findings; `ours` is the third argument of each. */
const makers = new Set([
  "compareNumber",
  "fitted",
  "compareStatement",
  "compareName",
  "notComparable",
]);
const oursAt = 2;

export interface TypedNumber {
  /** File and line. */
  readonly where: string;
  readonly text: string;
}

/** All files of a program for which `belongs` is true. */
export function typedNumbers(
  program: ts.Program,
  belongs: (file: string) => boolean,
): readonly TypedNumber[] {
  const checker = program.getTypeChecker();
  const found: TypedNumber[] = [];
  const visit = (file: ts.SourceFile, node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const name = node.expression.text;
      const ours = makers.has(name) ? node.arguments[oursAt] : factOf(name, node);
      const exempt =
        ours === undefined ||
        // Words may be typed where nothing is compared.
        (name === "notComparable" && ts.isStringLiteralLike(ours)) ||
        (isArithmetic(name, node) && !isLiteral(ours));
      if (!exempt && isTyped(checker, ours, new Set())) {
        const { line } = file.getLineAndCharacterOfPosition(ours.getStart());
        found.push({ where: `${file.fileName}:${line + 1}`, text: ours.getText() });
      }
    }
    ts.forEachChild(node, (child) => {
      visit(file, child);
    });
  };
  for (const file of program.getSourceFiles()) {
    if (belongs(file.fileName)) visit(file, file);
  }
  return found;
}

/** The function body of `fact(..., () => value)`. */
function factOf(name: string, { arguments: list }: ts.CallExpression): ts.Expression | undefined {
  const last = list.at(-1);
  if (name !== "fact" || last === undefined || !ts.isArrowFunction(last)) return undefined;
  return ts.isBlock(last.body) ? undefined : last.body;
}

/** Whether a call may combine printed numbers: facts, class A, and findings without a verdict. */
function isArithmetic(name: string, { arguments: list }: ts.CallExpression): boolean {
  const ofPrinted = list.some((one) => ts.isStringLiteralLike(one) && one.text === "A");
  return name === "fact" || name === "notComparable" || (name === "compareNumber" && ofPrinted);
}

function isLiteral(node: ts.Node): boolean {
  return ts.isNumericLiteral(node) || ts.isStringLiteralLike(node);
}

function isTyped(checker: ts.TypeChecker, node: ts.Node, on: Set<ts.Node>): boolean {
  const typed = (next: ts.Node): boolean => isTyped(checker, next, on);
  if (isLiteral(node)) return true;
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isPrefixUnaryExpression(node)
  ) {
    return typed(ts.isPrefixUnaryExpression(node) ? node.operand : node.expression);
  }
  if (ts.isBinaryExpression(node)) return typed(node.left) && typed(node.right);
  if (ts.isConditionalExpression(node)) {
    return typed(node.condition) && typed(node.whenTrue) && typed(node.whenFalse);
  }
  if (ts.isObjectLiteralExpression(node) || ts.isArrayLiteralExpression(node)) {
    const parts: readonly ts.Node[] = ts.isArrayLiteralExpression(node)
      ? node.elements
      : node.properties;
    return parts.every((p) => typed(ts.isPropertyAssignment(p) ? p.initializer : p));
  }
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    return typed(node.expression);
  }
  if (!ts.isIdentifier(node) || on.has(node)) return false;
  on.add(node);
  const origin = declarationOf(checker, node);
  if (origin === undefined) return false;
  if (ts.isVariableDeclaration(origin)) {
    return origin.initializer !== undefined && typed(origin.initializer);
  }
  return ts.isBindingElement(origin) && fromTable(checker, origin, typed);
}

function declarationOf(checker: ts.TypeChecker, node: ts.Node): ts.Declaration | undefined {
  const symbol = checker.getSymbolAtLocation(node);
  if (symbol === undefined) return undefined;
  const aliased = (symbol.flags & ts.SymbolFlags.Alias) !== 0;
  return (aliased ? checker.getAliasedSymbol(symbol) : symbol).valueDeclaration;
}

/** An element of a table row that some `map` visits, or of a destructured constant. */
function fromTable(
  checker: ts.TypeChecker,
  element: ts.BindingElement,
  typed: (node: ts.Node) => boolean,
): boolean {
  const holder = element.parent.parent;
  const part = (row: ts.Node): boolean => {
    const plain = ts.isAsExpression(row) ? row.expression : row;
    if (ts.isArrayBindingPattern(element.parent) && ts.isArrayLiteralExpression(plain)) {
      const value = plain.elements[element.parent.elements.indexOf(element)];
      return value !== undefined && typed(value);
    }
    if (!ts.isObjectLiteralExpression(plain)) return false;
    const key = (element.propertyName ?? element.name).getText();
    const value = plain.properties.find((p) => p.name?.getText() === key);
    return value !== undefined && ts.isPropertyAssignment(value) && typed(value.initializer);
  };
  if (ts.isVariableDeclaration(holder)) {
    return holder.initializer !== undefined && part(holder.initializer);
  }
  if (!ts.isParameter(holder) || !ts.isArrowFunction(holder.parent)) return false;
  const call = holder.parent.parent;
  if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return false;
  const rows = tableOf(checker, call.expression.expression);
  return rows !== null && rows.length > 0 && rows.every(part);
}

function tableOf(checker: ts.TypeChecker, node: ts.Node): readonly ts.Node[] | null {
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node)
  )
    return tableOf(checker, node.expression);
  if (ts.isArrayLiteralExpression(node)) return node.elements;
  if (!ts.isIdentifier(node)) return null;
  const origin = declarationOf(checker, node);
  return origin !== undefined &&
    ts.isVariableDeclaration(origin) &&
    origin.initializer !== undefined
    ? tableOf(checker, origin.initializer)
    : null;
}
