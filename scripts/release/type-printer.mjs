/** Prints types as they are after evaluation: schemas and computed types become plain object types. */
import ts from "typescript";

const PRIMITIVE =
  ts.TypeFlags.Any |
  ts.TypeFlags.Unknown |
  ts.TypeFlags.Never |
  ts.TypeFlags.Void |
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BigIntLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.ESSymbolLike |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.Null |
  ts.TypeFlags.NonPrimitive;
const EQUAL_DEPTH = 10;
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/**
 * @shape take(symbol): called for each name that a printed type refers to; docOf(declaration): its docstring, with a line end;
 * isNamed(symbol): whether a type of this alias or interface is printed as its name; isComputed(symbol):
 * whether an interface is expanded; aliases: symbols of types whose equals are printed
 * as their names, since evaluation loses the name
 * @returns a function that prints a type; the outermost type is expanded even if it has a name
 */
export function typePrinter(checker, { take, docOf, isNamed, isComputed, aliases }) {
  const shapeOf = (type) =>
    checker
      .getPropertiesOfType(type)
      .map(({ name, flags }) => (flags & ts.SymbolFlags.Optional ? `${name}?` : name))
      .sort()
      .join();
  const byShape = new Map();
  for (const symbol of aliases) {
    const type = checker.getDeclaredTypeOfSymbol(symbol);
    const shape = type.flags & ts.TypeFlags.Object || type.isIntersection() ? shapeOf(type) : "";
    if (shape.includes(",") || shape.includes("?"))
      byShape.set(shape, [...(byShape.get(shape) ?? []), { symbol, type }]);
  }
  /** Compares structures, to a depth that recursive types exceed. */
  const isEqual = (one, other, depth) => {
    if (one === other || depth > EQUAL_DEPTH) return true;
    if (one.isUnion() || other.isUnion()) {
      const [some, others] = [one.types ?? [one], other.types ?? [other]];
      return some.length === others.length && some.every((a) => others.some((b) => isEqual(a, b, depth + 1)));
    }
    const isObject = (type) => Boolean(type.flags & ts.TypeFlags.Object) || type.isIntersection();
    if (!isObject(one) || !isObject(other)) return checker.typeToString(one) === checker.typeToString(other);
    if (checker.isArrayType(one) || checker.isArrayType(other)) {
      if (!checker.isArrayType(one) || !checker.isArrayType(other) || one.symbol !== other.symbol) return false;
      return isEqual(checker.getTypeArguments(one)[0], checker.getTypeArguments(other)[0], depth + 1);
    }
    const indexesOf = (type) => checker.getIndexInfosOfType(type).map(({ type: value }) => value);
    const [indexes, otherIndexes] = [indexesOf(one), indexesOf(other)];
    if (shapeOf(one) !== shapeOf(other) || indexes.length !== otherIndexes.length) return false;
    if (one.getCallSignatures().length + other.getCallSignatures().length > 0) return false;
    return (
      indexes.every((value, index) => isEqual(value, otherIndexes[index], depth + 1)) &&
      checker.getPropertiesOfType(one).every((property) => {
        const second = checker.getPropertyOfType(other, property.name);
        return isEqual(checker.getTypeOfSymbol(property), checker.getTypeOfSymbol(second), depth + 1);
      })
    );
  };
  /** Type arguments that are not the defaults, which newer versions of the standard library have added. */
  const chosenArguments = (type) => {
    const args = [...checker.getTypeArguments(type)];
    const parameters = type.target?.typeParameters ?? [];
    const isDefault = (arg, parameter) => {
      const byDefault = parameter && checker.getDefaultFromTypeParameter(parameter);
      return byDefault !== undefined && checker.typeToString(byDefault) === checker.typeToString(arg);
    };
    while (args.length > 0 && isDefault(args.at(-1), parameters[args.length - 1])) args.pop();
    return args;
  };
  const named = (symbol, args = []) => {
    take(symbol);
    return args.length > 0 ? `${symbol.name}<${args.map((arg) => print(arg)).join(", ")}>` : symbol.name;
  };
  /** -> text that can be the element of an array or a member of an intersection */
  const closed = (type) => {
    const text = print(type);
    const isCompound = type.isUnionOrIntersection() && /[|&]/.test(text);
    const isFunction = text.startsWith("(") && type.getCallSignatures().length === 1;
    return isCompound || isFunction ? `(${text})` : text;
  };
  const print = (type) => {
    const { aliasSymbol, aliasTypeArguments = [] } = type;
    if (aliasSymbol && aliasTypeArguments.length === 0 && isNamed(aliasSymbol)) return named(aliasSymbol);
    const equal = type.flags & ts.TypeFlags.Object || type.isIntersection() ? equalAlias(type) : undefined;
    return equal ? named(equal) : expanded(type);
  };
  const equalAlias = (type) =>
    (byShape.get(shapeOf(type)) ?? []).find(({ type: other }) => isEqual(type, other, 0))?.symbol;
  const expanded = (type) => {
    if (type.flags & ts.TypeFlags.EnumLike) throw new Error(`The type ${checker.typeToString(type)} can't be printed.`);
    if (type.flags & PRIMITIVE && !type.isUnion())
      return checker.typeToString(type, undefined, ts.TypeFormatFlags.NoTruncation);
    if (type.flags & ts.TypeFlags.Boolean) return "boolean";
    if (type.isUnion()) return unionOf(type);
    if (type.isIntersection()) {
      if (type.types.every((part) => isAnonymous(part) && part.getCallSignatures().length === 0)) return objectOf(type);
      return type.types
        .filter((part) => !isAnonymous(part) || objectOf(part) !== "{}")
        .map(closed)
        .join(" & ");
    }
    if (checker.isArrayType(type)) {
      const isReadonly = type.symbol.name === "ReadonlyArray";
      return `${isReadonly ? "readonly " : ""}${closed(checker.getTypeArguments(type)[0])}[]`;
    }
    if (checker.isTupleType(type)) {
      const items = checker.getTypeArguments(type).map(print);
      return `${type.target.readonly ? "readonly " : ""}[${items.join(", ")}]`;
    }
    if (isDeclared(type)) return named(type.symbol, chosenArguments(type));
    if (type.flags & ts.TypeFlags.Object) return objectOf(type);
    throw new Error(`The type ${checker.typeToString(type)} can't be printed.`);
  };
  const isDeclared = (type) =>
    Boolean(type.symbol?.flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.Class)) && !isComputed(type.symbol);
  /** Object type without a declaration of its own. */
  const isAnonymous = (type) =>
    Boolean(type.flags & ts.TypeFlags.Object) &&
    !isDeclared(type) &&
    !(type.aliasSymbol && (type.aliasTypeArguments ?? []).length === 0 && isNamed(type.aliasSymbol));
  const unionOf = (type) => {
    const texts = type.types.map((part) =>
      part.flags & ts.TypeFlags.BooleanLiteral ? checker.typeToString(part) : closed(part),
    );
    const isBoolean = texts.includes("true") && texts.includes("false");
    const members = isBoolean ? [...texts.filter((text) => text !== "true" && text !== "false"), "boolean"] : texts;
    return members.join(" | ");
  };
  const signatureOf = (signature, between) => {
    const parameters = signature.getParameters().map((parameter) => {
      const { valueDeclaration } = parameter;
      const type = checker.getTypeOfSymbol(parameter);
      const isOptional =
        Boolean(parameter.flags & ts.SymbolFlags.Optional) ||
        (valueDeclaration && ts.isParameter(valueDeclaration) && checker.isOptionalParameter(valueDeclaration));
      return `${parameter.name}${isOptional ? "?" : ""}: ${isOptional ? printDefined(type) : print(type)}`;
    });
    return `(${restsOf(signature) ?? parameters.join(", ")})${between} ${print(signature.getReturnType())}`;
  };
  /** The parameters of a signature whose parameters are a tuple, such as `(...input: [input?: Input])`. */
  const restsOf = (signature) => {
    const [only] = signature.getParameters();
    const type = only && checker.getTypeOfSymbol(only);
    if (!type || !checker.isTupleType(type)) return undefined;
    return checker
      .getTypeArguments(type)
      .map((item, index) => {
        const isOptional = Boolean(type.target.elementFlags[index] & ts.ElementFlags.Optional);
        const label = type.target.labeledElementDeclarations?.[index]?.name.getText() ?? "input";
        return `${label}${isOptional ? "?" : ""}: ${isOptional ? printDefined(item) : print(item)}`;
      })
      .join(", ");
  };
  /** Prints a type without `undefined`, which the question mark of its member or parameter stands for. */
  const printDefined = (type) => {
    if (!type.isUnion()) return print(type);
    if (type.types.every(({ flags }) => !(flags & ts.TypeFlags.Null))) return print(checker.getNonNullableType(type));
    return unionOf({ types: type.types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined)) });
  };
  const memberOf = (property) => {
    const isOptional = Boolean(property.flags & ts.SymbolFlags.Optional);
    const whole = checker.getTypeOfSymbol(property);
    const type = isOptional ? printDefined(whole) : print(whole);
    const isReadonly = isReadonlyMember(property);
    const name = IDENTIFIER.test(property.name) ? property.name : JSON.stringify(property.name);
    const doc = property.valueDeclaration ? docOf(property.valueDeclaration) : "";
    return `${doc}${isReadonly ? "readonly " : ""}${name}${isOptional ? "?" : ""}: ${type};`;
  };
  /** A member is readonly by its declaration, or by the mapped type that makes it. */
  const isReadonlyMember = (property) =>
    Boolean(ts.getCheckFlags(property) & ts.CheckFlags.Readonly) ||
    (!(property.flags & ts.SymbolFlags.Transient) &&
      (property.declarations ?? []).some((one) =>
        Boolean(ts.getCombinedModifierFlags(one) & ts.ModifierFlags.Readonly),
      ));
  const objectOf = (type) => {
    const calls = type.getCallSignatures();
    const properties = checker.getPropertiesOfType(type);
    const indexes = checker.getIndexInfosOfType(type);
    if (calls.length === 1 && properties.length === 0 && indexes.length === 0) return signatureOf(calls[0], " =>");
    const members = [
      ...calls.map((call) => `${signatureOf(call, ":")};`),
      ...indexes.map(
        ({ keyType, type: value, isReadonly }) =>
          `${isReadonly ? "readonly " : ""}[key: ${print(keyType)}]: ${print(value)};`,
      ),
      ...properties.map(memberOf),
    ];
    return members.length > 0 ? `{\n${members.join("\n")}\n}` : "{}";
  };
  return expanded;
}
