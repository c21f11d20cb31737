import { parse } from "@babel/parser";

/** JavaScript that has each word at its position in the TypeScript source. */
interface PlainScript {
  readonly text: string;
  /** Names that `declare` introduces. */
  readonly declared: readonly string[];
}

interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is TreeNode =>
  typeof value === "object" && value !== null && typeof (value as TreeNode).type === "string" && "start" in value;

const IGNORED_MEMBERS = ["loc", "extra", "errors", "leadingComments", "innerComments", "trailingComments"];

const childrenOf = (node: TreeNode): readonly TreeNode[] =>
  Object.entries(node)
    .filter(([member]) => !IGNORED_MEMBERS.includes(member))
    .flatMap(([, value]) => (Array.isArray(value) ? (value as unknown[]) : [value]))
    .filter(isNode);

const startOf = (value: unknown): number | undefined => (isNode(value) ? value.start : undefined);

/** Statements and members that are types. */
const TYPE_DECLARATION =
  /^TS(?:InterfaceDeclaration|TypeAliasDeclaration|DeclareFunction|DeclareMethod|IndexSignature|NamespaceExportDeclaration)$/;
/** Parts of expressions and declarations that are types. The linter's parser has no decorators, either. */
const TYPE = /^(?:TSTypeAnnotation|TSTypeParameterDeclaration|TSTypeParameterInstantiation|Decorator)$/;
const TYPED_EXPRESSION = /^TS(?:(?:As|Satisfies|NonNull|Instantiation)Expression|TypeAssertion)$/;
const CLASS_MEMBER = /^Class(?:Private|Accessor)?(?:Property|Method)$/;
const MODIFIER = /\b(?:public|private|protected|readonly|abstract|override|declare|accessor)\b/g;

const isDeclared = (node: TreeNode): boolean => node["declare"] === true && !CLASS_MEMBER.test(node.type);

/** Names that a `declare` statement introduces, also those of `declare global`. */
const declaredNames = (node: TreeNode): string[] => {
  const isGlobal = node["global"] === true || node["kind"] === "global";
  const statements = isGlobal && isNode(node["body"]) ? childrenOf(node["body"]) : [node];
  return statements
    .flatMap((statement) => [statement, ...childrenOf(statement)])
    .flatMap(({ id }) => (isNode(id) && typeof id["name"] === "string" ? [id["name"]] : []));
};

/**
 * Replaces the syntax that TypeScript adds to JavaScript by spaces, so that the linter reports the positions of the source. Source maps of
 * compilers lack many of these positions. An enum and a namespace become a variable.
 * -> undefined for a text that can't be parsed
 */
export function withoutTypes(source: string): PlainScript | undefined {
  const letters = source.split("");
  const declared: string[] = [];
  const put = (start: number, text: string) => void letters.splice(start, text.length, ...text);
  const blank = (start: number, end: number) => {
    for (let at = start; at < end; at += 1) if (!/\s/.test(letters[at] ?? "")) letters[at] = " ";
  };
  const blankMatches = (start: number, end: number, pattern: RegExp) => {
    for (const { index, 0: match } of source.slice(start, end).matchAll(pattern))
      blank(start + index, start + index + match.length);
  };
  /** A semicolon keeps the statements around it apart. */
  const blankStatement = ({ start, end }: TreeNode) => {
    blank(start, end);
    put(start, ";");
  };
  /** Blanks an entry of a list with the comma after it. */
  const blankEntry = ({ start, end }: TreeNode) => {
    const [comma = ""] = /^\s*,/.exec(source.slice(end)) ?? [];
    blank(start, end + comma.length);
  };
  const visitChildren = (node: TreeNode) => {
    for (const child of childrenOf(node)) visit(child);
  };

  const visitVariable = (node: TreeNode) => {
    const { id } = node;
    if (!isNode(id) || id.type !== "Identifier") return blankStatement(node);
    blank(node.start, id.start);
    blank(id.end, node.end);
    put(node.start, "var");
  };
  const visitClass = (node: TreeNode) => {
    const body = startOf(node["body"]) ?? node.end;
    blankMatches(node.start, body, /\babstract(?=\s+class\b)/g);
    const [implemented] = (node["implements"] ?? []) as readonly TreeNode[];
    if (implemented) blank(source.lastIndexOf("implements", implemented.start), body);
    visitChildren(node);
  };
  const visitMember = (node: TreeNode) => {
    const { key, decorators } = node;
    if (!isNode(key)) return visitChildren(node);
    const first = ((decorators ?? []) as readonly TreeNode[]).at(-1)?.end ?? node.start;
    blankMatches(first, key.start, MODIFIER);
    // `?` of an optional member, `!` of a member that is assigned elsewhere.
    const [mark = ""] = /^\s*(?:\]\s*)?[?!]/.exec(source.slice(key.end)) ?? [];
    if (mark) blank(key.end + mark.length - 1, key.end + mark.length);
    visitChildren(node);
  };
  /** The arrow must stand on the line of the parenthesis, which moves to the end of the type. */
  const visitArrow = (node: TreeNode, returnType: TreeNode) => {
    const parenthesis = source.lastIndexOf(")", returnType.start);
    visitChildren(node);
    blank(parenthesis, parenthesis + 1);
    put(returnType.end - 1, ")");
  };

  const visit = (node: TreeNode): void => {
    const { type, start, end, expression, declaration, returnType } = node;
    if (isDeclared(node)) declared.push(...declaredNames(node));
    if (isNode(declaration) && (isDeclared(declaration) || TYPE_DECLARATION.test(declaration.type))) {
      visit(declaration);
      return blankStatement(node);
    }
    if (isDeclared(node) || TYPE_DECLARATION.test(type)) return blankStatement(node);
    if (CLASS_MEMBER.test(type) && (node["declare"] === true || node["abstract"] === true)) return blankStatement(node);
    if (TYPE.test(type)) return blank(start, end);
    if (node["importKind"] === "type" || node["exportKind"] === "type")
      return type.endsWith("Specifier") ? blankEntry(node) : blankStatement(node);
    if (type === "TSEnumDeclaration" || type === "TSModuleDeclaration") return visitVariable(node);
    if (TYPED_EXPRESSION.test(type) && isNode(expression)) {
      blank(start, expression.start);
      blank(expression.end, end);
      return visit(expression);
    }
    if (type === "ClassDeclaration" || type === "ClassExpression") return visitClass(node);
    if (CLASS_MEMBER.test(type)) return visitMember(node);
    if (type === "ArrowFunctionExpression" && isNode(returnType)) return visitArrow(node, returnType);
    if (type === "Identifier" && node["name"] === "this") return blankEntry(node);

    if (type === "TSExportAssignment") blank(start, startOf(expression) ?? end);
    if (type === "TSImportEqualsDeclaration") put(start, "var   ");
    if (type === "TSParameterProperty") blankMatches(start, startOf(node["parameter"]) ?? end, MODIFIER);
    const annotation = startOf(node["typeAnnotation"]) ?? end;
    if (node["optional"] === true && /^(?:Identifier|\w+Pattern)$/.test(type))
      blankMatches(start, annotation, /\?(?=\s*$)/g);
    if (node["definite"] === true && isNode(node["id"]))
      blankMatches(start, startOf(node["id"]["typeAnnotation"]) ?? end, /!(?=\s*$)/g);
    visitChildren(node);
  };

  try {
    const { program } = parse(source, {
      sourceType: "unambiguous",
      plugins: ["typescript", "decorators", "decoratorAutoAccessors", "explicitResourceManagement"],
      createParenthesizedExpressions: true,
      allowReturnOutsideFunction: true,
      errorRecovery: true,
    });
    visit(program as unknown as TreeNode);
  } catch {
    return undefined;
  }
  return { text: letters.join(""), declared };
}
