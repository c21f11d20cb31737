import fc from "fast-check";
import type { Json } from "./openapi-operations.ts";

/** An id of an earlier response, which is selected when the request is sent. */
export interface Pick {
  readonly $pick: string;
  readonly nth: number;
}
export const isPick = (value: unknown): value is Pick =>
  typeof value === "object" && value !== null && "$pick" in value;

/** Members and path parameters that contain an id, with the kind of object. */
const KINDS: Readonly<Record<string, string>> = {
  user_id: "user",
  actor_id: "actor",
  conversation_id: "conversation",
  channel_id: "channel",
  agent_id: "agent",
  assigned_agent_id: "agent",
  assigned_org_agent_id: "agent",
  assigned_group_id: "group",
  assigned_org_group_id: "group",
  group_id: "group",
  groups: "group",
  role_id: "role",
  ids: "user",
  users: "user",
  message_id: "message",
  request_id: "request",
  report_id: "report",
  file_hash: "file",
  provider: "provider",
  status_id: "status",
};

const picked = (kind: string): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 8, arbitrary: fc.nat({ max: 30 }).map((nth): Pick => ({ $pick: kind, nth })) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" }) },
  );

/** Texts that careless code can't process. */
export const HOSTILE_TEXTS = fc.constantFrom(
  "",
  " ",
  "\u0000",
  "\ud800",
  "null",
  "undefined",
  "NaN",
  "-1",
  "1e309",
  "0x10",
  "__proto__",
  "constructor",
  "' or 1=1 --",
  "{{constructor}}",
  "../../etc/passwd",
  "%00",
  "\r\nX-Injected: 1",
  "😀".repeat(50),
  "a".repeat(1_025),
  "ﷺ".repeat(5_000),
  "2026-02-30T00:00:00.000Z",
  "2026-01-01T00:00:60Z",
  "9999-12-31T23:59:59.999Z",
  "0000-01-01T00:00:00Z",
  "+12015550123",
);

const texts = (schema: Json): fc.Arbitrary<string> => {
  if (schema["format"] === "date-time")
    return fc
      .date({ min: new Date("2025-01-01"), max: new Date("2028-01-01"), noInvalidDate: true })
      .map((date) => date.toISOString());
  const { pattern } = schema as { pattern?: string };
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern));
  const minLength = Number(schema["minLength"] ?? 0);
  const most = Math.min(Number(schema["maxLength"] ?? 60), 60);
  return fc.oneof(
    { weight: 4, arbitrary: fc.string({ minLength, maxLength: Math.max(minLength, most), unit: "grapheme" }) },
    {
      weight: 2,
      arbitrary: fc.constantFrom("Ann", "ann@customer.example", "+12015550123", "https://acme.example/a.png"),
    },
  );
};

/** Arbitraries for a schema of the document. */
export function valuesOf(definitions: Json) {
  const created = new Map<string, fc.Arbitrary<unknown>>();

  const membersOf = (schema: Json, depth: number): fc.Arbitrary<unknown> => {
    const properties = Object.entries((schema["properties"] ?? {}) as Record<string, Json>);
    const required = (schema["required"] ?? []) as readonly string[];
    const model = Object.fromEntries(properties.map(([name, member]) => [name, fits(member, depth + 1, name)]));
    const complete = fc.record(model, { requiredKeys: [...required] });
    if (schema["maxProperties"] !== 1) return complete;
    // Exactly one of the members: a message part.
    return fc.oneof(...Object.entries(model).map(([name, value]) => value.map((chosen) => ({ [name]: chosen }))));
  };

  const fits = (schema: Json, depth = 0, name = ""): fc.Arbitrary<unknown> => {
    const reference = schema["$ref"];
    if (typeof reference === "string") {
      if (depth > 7) return fc.constant({ text: { content: "deep" } });
      const key = `${reference} ${depth} ${name}`;
      const target = definitions[reference.split("/").at(-1) ?? ""] as Json;
      const present = created.get(key) ?? fits(target, depth + 1, name);
      created.set(key, present);
      return present;
    }
    const options = schema["anyOf"] as readonly Json[] | undefined;
    if (options) return fc.oneof(...options.map((option) => fits(option, depth + 1, name)));
    if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]));
    const kind = KINDS[name] ?? (name === "id" ? "any" : undefined);
    switch (schema["type"]) {
      case "string":
        return kind === undefined ? texts(schema) : picked(kind);
      case "integer":
        return fc.oneof(
          fc.integer({ min: Number(schema["minimum"] ?? 0), max: Number(schema["maximum"] ?? 40) }),
          fc.constant(Number(schema["minimum"] ?? 1)),
        );
      case "number":
        return fc.double({ noNaN: true, noDefaultInfinity: true });
      case "boolean":
        return fc.boolean();
      case "array": {
        const most = Math.min(Number(schema["maxItems"] ?? 3), depth > 4 ? 1 : 3);
        const items = (schema["items"] ?? {}) as Json;
        return fc.array(fits(items, depth + 1, name), { minLength: Number(schema["minItems"] ?? 0), maxLength: most });
      }
      case "object":
        return schema["properties"]
          ? membersOf(schema, depth)
          : fc.dictionary(names, fc.string({ maxLength: 10 }), { maxKeys: 3 });
      default:
        return fc.jsonValue({ maxDepth: 2 });
    }
  };

  return { fits };
}

const names = fc.constantFrom("priority", "cf_order_number", "cf_x", "__proto__", "x");

/** Arbitrary values of a body, not only those with a meaning in JSON. */
export const ANY_JSON: fc.Arbitrary<unknown> = fc.oneof(
  HOSTILE_TEXTS,
  fc.constantFrom(null, true, -1, 1e21, 0.5, [], {}, [[]], [null], { __proto__: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
);
