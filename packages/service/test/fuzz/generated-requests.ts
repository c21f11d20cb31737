import fc from "fast-check";
import type { Json, Operation } from "./openapi-operations.ts";
import { VALID_QUERIES, VALID_BODIES } from "./valid-bodies.ts";
import { HOSTILE_TEXTS, valuesOf, ANY_JSON } from "./generated-values.ts";

/** A request whose ids are not selected yet. */
export interface GeneratedRequest {
  readonly operation: Operation;
  readonly holes: Readonly<Record<string, unknown>>;
  readonly query: readonly (readonly [string, unknown])[];
  /** undefined: no body; `raw`: exact bytes. */
  readonly body: { readonly json: unknown } | { readonly raw: string } | undefined;
  readonly contentType: string | undefined;
}

const RAW = fc.constantFrom(
  "",
  "{",
  "null",
  "[]",
  '"text"',
  "{}{}",
  '{"a":1,"a":2}',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{"x":1}}}',
  '{"a":1e400}',
  '"\\ud800"',
  "[".repeat(20_000),
  `{"a":${"[".repeat(500)}${"]".repeat(500)}}`,
  "\ufeff{}",
  "--boundary\r\n",
);
const TYPES = fc.constantFrom(
  "text/plain",
  "application/xml",
  "application/json; charset=utf-16",
  "multipart/form-data",
  "x",
);

/** Replaces, adds or removes one part of a value. */
const broken = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(value, fc.nat(), ANY_JSON, fc.constantFrom("replace", "remove", "add"))
    .map(([original, seed, wild, how]) => {
      const copy = structuredClone(original);
      const places: [Record<string, unknown>, string][] = [];
      const walk = (part: unknown): void => {
        if (typeof part !== "object" || part === null || "$pick" in part) return;
        for (const [name, member] of Object.entries(part)) {
          places.push([part as Record<string, unknown>, name]);
          walk(member);
        }
      };
      walk(copy);
      const place = places[seed % Math.max(1, places.length)];
      if (!place) return wild;
      const [owner, name] = place;
      if (how === "remove" && !Array.isArray(owner)) delete owner[name];
      else if (how === "add" && !Array.isArray(owner)) owner["surplus"] = wild;
      else owner[name] = wild;
      return copy;
    });

/** A form with a file of the given content. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
).toString("latin1");
const BOUNDARY = "parley-fuzz";
const END = `--${BOUNDARY}--\r\n`;
const form = (part: string): fc.Arbitrary<Pick<GeneratedRequest, "body" | "contentType">> =>
  fc
    .tuple(
      fc.constantFrom(part, part, part, "other", "__proto__", ""),
      fc.constantFrom(PNG, PNG, "", "GIF89a", "<svg/>", PNG.slice(0, 40), "\u0000\u00ff"),
      fc.constantFrom("a.png", "../../x", "ü", "a\0b", ""),
      fc.constantFrom("image/png", "text/plain", "x", ""),
      fc.constantFrom(END, END, "", `--${BOUNDARY}\r\n`),
    )
    .chain((odd) => fc.oneof(fc.constant(odd), fc.constant([part, PNG, "a.png", "image/png", END] as const)))
    .map(([name, content, fileName, type, end]) => ({
      contentType: `multipart/form-data; boundary=${BOUNDARY}`,
      body: {
        raw: `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n${end}`,
      },
    }));

/** Generates requests to the operations of a document: valid, nearly valid and invalid requests. */
export function generatedRequests(operations: readonly Operation[], definitions: Json): fc.Arbitrary<GeneratedRequest> {
  const { fits } = valuesOf(definitions);

  const bodyOf = ({ id, body, part }: Operation): fc.Arbitrary<Pick<GeneratedRequest, "body" | "contentType">> => {
    if (part !== undefined) return form(part);
    if (!body) return fc.constant({ body: undefined, contentType: undefined });
    const validBody = VALID_BODIES[id];
    const good = validBody ? fc.oneof(validBody, fits(body)) : fits(body);
    const json = (value: fc.Arbitrary<unknown>) =>
      value.map((chosen) => ({ body: { json: chosen }, contentType: "application/json" }));
    return fc.oneof(
      { weight: 12, arbitrary: json(good) },
      { weight: 6, arbitrary: json(broken(good)) },
      { weight: 1, arbitrary: json(ANY_JSON) },
      { weight: 1, arbitrary: RAW.map((raw) => ({ body: { raw }, contentType: "application/json" })) },
      { weight: 1, arbitrary: TYPES.map((contentType) => ({ body: { raw: "{}" }, contentType })) },
      { weight: 1, arbitrary: fc.constant({ body: undefined, contentType: undefined }) },
    );
  };

  const queryOf = ({ query }: Operation): fc.Arbitrary<GeneratedRequest["query"]> =>
    fc
      .tuple(
        ...query.map(({ name, required, schema }) =>
          fc.tuple(
            fc.oneof({ weight: required ? 9 : 3, arbitrary: fc.constant(true) }, fc.constant(false)),
            fc.oneof(
              { weight: 9, arbitrary: VALID_QUERIES[name] ?? fits(schema, 0, name) },
              { weight: 1, arbitrary: HOSTILE_TEXTS },
            ),
            fc.oneof({ weight: 30, arbitrary: fc.constant(false) }, fc.constant(true)),
          ),
        ),
      )
      .map((chosen) =>
        chosen.flatMap(([input, value, twice], index) => {
          const name = query[index]?.name ?? "";
          return input ? [[name, value] as const, ...(twice ? [[name, value] as const] : [])] : [];
        }),
      );

  const draftOf = (operation: Operation): fc.Arbitrary<GeneratedRequest> =>
    fc
      .tuple(
        fc.record(
          Object.fromEntries(operation.holes.map((name) => [name, fits({ type: "string", minLength: 1 }, 0, name)])),
        ),
        queryOf(operation),
        bodyOf(operation),
      )
      .map(([holes, query, body]) => ({ operation, holes, query, ...body }));

  /** Operations that others depend on are more frequent. */
  const weightOf = ({ id }: Operation) =>
    /^(createUser|createConversation|createMessage|updateConversation)$/.test(id) ? 4 : 1;
  return fc.oneof(...operations.map((operation) => ({ weight: weightOf(operation), arbitrary: draftOf(operation) })));
}
