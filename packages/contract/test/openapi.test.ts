import { expect, test } from "@jest/globals";
import { api, openapi, rowsOf, routeOf } from "@parley/contract";

const document = openapi("http://localhost:1/v2") as {
  paths: Record<
    string,
    Record<string, { parameters: { name: string; in: string; required: boolean }[]; responses: Record<string, object> }>
  >;
  components: { schemas: Record<string, { properties: Record<string, unknown> }> };
};

const refsIn = (value: unknown): string[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, member]) => (key === "$ref" ? [String(member)] : refsIn(member)));

test("the document has an operation for each row, under its method and path", () => {
  for (const { row, operation } of rowsOf()) {
    const { method, path } = routeOf(row);
    expect(document.paths[path]?.[method.toLowerCase()]).toMatchObject({ operationId: operation });
  }
  expect(Object.values(document.paths).flatMap((methods) => Object.keys(methods))).toHaveLength(rowsOf().length);
});

test("every reference leads to a schema that is defined once", () => {
  const refs = refsIn(document);
  expect(refs.length).toBeGreaterThan(20);
  for (const ref of refs)
    expect(document.components.schemas).toHaveProperty([ref.replace("#/components/schemas/", "")]);
});

test("a message part refers to itself", () => {
  expect(refsIn(document.components.schemas["MessagePart"])).toContain("#/components/schemas/MessagePart");
});

test("several problems of one status are listed together", () => {
  const responses = document.paths["/conversations/{conversation_id}/messages"]?.["post"]?.responses ?? {};
  expect(responses["400"]).toHaveProperty(
    "x-status-tokens",
    expect.arrayContaining(["INVALID_ACTOR", "INVALID_MESSAGE_PARTS", "INVALID_VALUE"]),
  );
});

test("path parameters are required", () => {
  expect(document.paths["/users/{user_id}"]?.["get"]?.parameters).toContainEqual(
    expect.objectContaining({ name: "user_id", in: "path", required: true }),
  );
});

test("a response without a body has no content", () => {
  expect(document.paths["/users/{user_id}"]?.["put"]?.responses["202"]).not.toHaveProperty("content");
});

test("no two rows share a method and path", () => {
  const routes = rowsOf(api).map(({ row }) => row.route);
  expect(new Set(routes).size).toBe(routes.length);
});
