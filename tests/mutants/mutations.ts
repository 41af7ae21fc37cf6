import {
  type BinaryExpression,
  type Expression,
  type IfStatement,
  type Node,
  type PrefixUnaryExpression,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast";
import {
  isBinaryExpression,
  isBlock,
  isConditionalExpression,
  isIfStatement,
  isNumericLiteral,
  isPrefixUnaryExpression,
  isTypeNode,
  isWhileStatement,
} from "typescript/unstable/ast/is";

/** One change to a text: replaces what is between `start` and `end`. */
export interface Mutation {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Every mutation of a file. Strings, comments and types have none. */
export function mutationsOf(file: SourceFile): Mutation[] {
  const found: Mutation[] = [];
  const visit = (node: Node): void => {
    if (isTypeNode(node)) return;
    found.push(...mutationsOfNode(node));
    node.forEachChild(visit);
  };
  visit(file);
  return found;
}

/** The text with one mutation. */
export function mutated(source: string, { start, end, text }: Mutation): string {
  return source.slice(0, start) + text + source.slice(end);
}

function mutationsOfNode(node: Node): Mutation[] {
  if (node.kind === SyntaxKind.TrueKeyword) return [replace(node, "false")];
  if (node.kind === SyntaxKind.FalseKeyword) return [replace(node, "true")];
  if (isNegation(node)) return [replace(node, node.operand.getText())];
  if (isIfStatement(node)) return [...(isEarlyExit(node) ? [replace(node, "{}")] : []), ...negated(node.expression)];
  if (isWhileStatement(node)) return negated(node.expression);
  if (isConditionalExpression(node)) return negated(node.condition);
  if (isBinaryExpression(node)) return otherOperator(node);
  if (isNumericLiteral(node) && isBoundary(node)) return [replace(node, String(Number(node.getText()) + 1))];
  return [];
}

function replace(node: Node, text: string): Mutation {
  return { start: node.getStart(), end: node.end, text };
}

function isNegation(node: Node): node is PrefixUnaryExpression {
  return isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken;
}

/** An `if` that only leaves the function, or the loop, early. */
function isEarlyExit({ thenStatement, elseStatement }: IfStatement): boolean {
  if (elseStatement !== undefined) return false;
  const only =
    isBlock(thenStatement) && thenStatement.statements.length === 1 ? thenStatement.statements[0] : undefined;
  return EXITS.has((only ?? thenStatement).kind);
}

const EXITS: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.ReturnStatement,
  SyntaxKind.ContinueStatement,
  SyntaxKind.BreakStatement,
]);

/** A negated condition. Not for `a === b` and `!a`, whose own mutation is the same. */
function negated(condition: Expression): Mutation[] {
  if (isNegation(condition)) return [];
  if (isBinaryExpression(condition) && EQUALITY.has(condition.operatorToken.getText())) return [];
  return [replace(condition, `!(${condition.getText()})`)];
}

const EQUALITY: ReadonlySet<string> = new Set(["===", "!=="]);

const OTHER: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "&&": "||",
  "||": "&&",
};
const STEP: Readonly<Record<string, string>> = { "+": "-", "-": "+" };

function otherOperator(node: BinaryExpression): Mutation[] {
  const { left, operatorToken, right } = node;
  const operator = operatorToken.getText();
  const isStep = isNumericLiteral(left) || isNumericLiteral(right);
  const other = OTHER[operator] ?? (isStep ? STEP[operator] : undefined);
  if (other === undefined) return [];
  if (other !== "&&" && other !== "||") return [replace(operatorToken, other)];
  // Without parentheses, `a || b && c` groups differently from `a && b && c`.
  const text = node.getText();
  const from = operatorToken.getStart() - node.getStart();
  return [replace(node, `(${text.slice(0, from)}${other}${text.slice(from + operator.length)})`)];
}

/** A number in a comparison. */
function isBoundary({ parent }: Node): boolean {
  return isBinaryExpression(parent) && parent.operatorToken.getText() in OTHER;
}
