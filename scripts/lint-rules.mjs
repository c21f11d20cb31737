/**
 * Rules of this repository for oxlint. test/source-tree/lint-rules.test.ts has the code that each of them refuses.
 */

/** Errors that one function throws. */
const THROWN_BY = { Refusal: "refuse", AppRefused: "refuseCall", ControlRefused: "refuseControl" };

const FUNCTIONS = ["ArrowFunctionExpression", "FunctionExpression", "FunctionDeclaration"];

/** The function that a function returns at once, or the function itself. */
const innermost = (node) => (FUNCTIONS.includes(node.body?.type) ? innermost(node.body) : node);

const isNever = ({ returnType }) => returnType?.typeAnnotation.type === "TSNeverKeyword";
const isPromiseOfNever = ({ returnType }) =>
  returnType?.typeAnnotation.typeArguments?.params.some(({ type }) => type === "TSNeverKeyword") === true;

/** -> whether the thrown value is what a function returned */
const isCallResult = (node) => {
  if (node.type === "ConditionalExpression") return isCallResult(node.consequent) || isCallResult(node.alternate);
  if (node.type === "LogicalExpression") return isCallResult(node.left) || isCallResult(node.right);
  return node.type === "CallExpression" || node.type === "AwaitExpression";
};

const nameOfFunction = (node) =>
  node.id?.name ?? (node.parent?.type === "VariableDeclarator" ? node.parent.id.name : undefined);

const oneWayToRefuse = {
  create(context) {
    /** Names of the functions around the present node. */
    const names = [];
    const enter = (node) => {
      const name = nameOfFunction(node);
      names.push(name);
      if (name === undefined) return;
      const inner = innermost(node);
      if (/^refuse(?![a-z])/.test(name) && !isNever(inner) && !isPromiseOfNever(inner))
        context.report({
          node,
          message: `${name} must return never. Name a function that refuses on a condition check…, one that sends a reply sendRefusal.`,
        });
      if (isNever(inner) && !/^(?:refuse|fail)(?![a-z])/.test(name))
        context.report({
          node,
          message: `Name a function that always refuses a request refuse…, and one that always ends other work fail…, not ${name}.`,
        });
    };
    const leave = () => void names.pop();
    return {
      ArrowFunctionExpression: enter,
      "ArrowFunctionExpression:exit": leave,
      FunctionExpression: enter,
      "FunctionExpression:exit": leave,
      FunctionDeclaration: enter,
      "FunctionDeclaration:exit": leave,
      ThrowStatement(node) {
        const { argument } = node;
        if (isCallResult(argument))
          context.report({
            node,
            message:
              "Throw a new error or a caught one. In place of a function that returns an error, write one that throws it: refuse… or fail….",
          });
        const by = argument.type === "NewExpression" ? THROWN_BY[argument.callee.name] : undefined;
        if (by !== undefined && !names.includes(by))
          context.report({ node, message: `Refuse by ${by}(…) in place of throwing ${argument.callee.name}.` });
      },
    };
  },
};

/** Begin of a statement or of a part of one, in capitals. */
const UPPER_CASE_SQL =
  /(?:^|[\s(;])(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|ALTER|DROP|TRUNCATE|GRANT|REVOKE|SET|RESET|SHOW|LOCK|LISTEN|UNLISTEN|NOTIFY|BEGIN|COMMIT|ROLLBACK|SAVEPOINT|VACUUM|ANALYZE|COPY|WITH|FROM|WHERE|AND|OR|NOT|IS|IN|AS|ON|JOIN|USING|VALUES|RETURNING|ORDER BY|GROUP BY|LIMIT|OFFSET|FOR|NULL|DEFAULT|CASE|WHEN|THEN|ELSE|END|DESC|ASC|BETWEEN|LIKE|EXISTS|DISTINCT|UNION|CONFLICT|OVER|PARTITION BY|AT TIME ZONE|LOGIN|FILTER|INTERVAL)(?:[\s();,:]|$)/;

/** -> the texts with their words in capitals in lower case, apart from what stands in quotes @shape texts: the parts of one literal */
const lowerCased = (texts) => {
  let quote = "";
  return texts.map((text) =>
    text.replace(/--[^\n]*|'|"|[A-Za-z_$][\w$]*/g, (token) => {
      if (token.startsWith("--")) return token;
      if (token === "'" || token === '"') {
        quote = quote === "" ? token : quote === token ? "" : quote;
        return token;
      }
      return quote === "" && /^[A-Z][A-Z_]+$/.test(token) ? token.toLowerCase() : token;
    }),
  );
};

/** Reports SQL in capitals in files that contain SQL. */
const lowerCaseSql = {
  meta: { fixable: "code" },
  create(context) {
    const check = (node, parts) => {
      const texts = parts.map((part) => context.sourceCode.getText(part));
      const inner = texts.map((text) => text.slice(1, text.endsWith("${") ? -2 : -1));
      if (!inner.some((text) => UPPER_CASE_SQL.test(text))) return;
      const lower = lowerCased(inner);
      if (lower.every((text, index) => text === inner[index])) return;
      context.report({
        node,
        message: "Write SQL in lower case.",
        fix: (fixer) =>
          parts.flatMap((part, index) =>
            lower[index] === inner[index]
              ? []
              : [
                  fixer.replaceText(
                    part,
                    texts[index].replace(inner[index], () => lower[index]),
                  ),
                ],
          ),
      });
    };
    return {
      Literal: (node) => typeof node.value === "string" && check(node, [node]),
      TemplateLiteral: (node) => check(node, node.quasis),
    };
  },
};

export default {
  meta: { name: "parley" },
  rules: { "one-way-to-refuse": oneWayToRefuse, "lower-case-sql": lowerCaseSql },
};
