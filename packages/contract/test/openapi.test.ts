import { describe, expect, test } from "@jest/globals";
import { admin, api, transfer, identity, openapi, RESOURCE_DESCRIPTIONS, rowsOf, routeOf } from "@parley/contract";

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

/** Demands of linters of OpenAPI documents. `openapi-linters.campaign.test.ts` runs two of them. */
describe.each([
  ["the API", openapi()],
  ["the administration", openapi("/", { admin, transfer, ...identity }, "Parley admin")],
])("the document of %s", (_name, described) => {
  const { info, tags, paths, components } = described as {
    info: Record<string, unknown>;
    tags: { name: string; description: string }[];
    paths: Record<string, Record<string, Operation>>;
    components: { schemas: object; securitySchemes: object };
  };
  interface Operation {
    readonly operationId: string;
    readonly tags: string[];
    readonly description: string;
    readonly security: Record<string, unknown>[];
    readonly responses: Record<string, object>;
  }
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));

  test("has a description and a contact, and no address that is relative where an absolute one is demanded", () => {
    expect(info).toMatchObject({ description: expect.stringMatching(/\S/), contact: { name: expect.any(String) } });
    expect(described).not.toHaveProperty("externalDocs");
  });

  test("declares each tag once, with a description, and has no other", () => {
    const used = [...new Set(operations.flatMap((operation) => operation.tags))];
    expect(tags.map(({ name }) => name)).toEqual(used);
    for (const { description } of tags) expect(description).toMatch(/\.$/);
  });

  test("has operations with unique ids, a description, a success and the errors of a client", () => {
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { operationId, description, responses } of operations) {
      expect([operationId, description]).toEqual([operationId, expect.stringMatching(/^Needs .+\.$/)]);
      for (const kind of [/^2/, /^4/])
        expect([operationId, Object.keys(responses)]).toEqual([
          operationId,
          expect.arrayContaining([expect.stringMatching(kind)]),
        ]);
    }
  });

  test("has no component that nothing refers to", () => {
    const refs = new Set(refsIn(described).map((ref) => ref.replace("#/components/schemas/", "")));
    expect(Object.keys(components.schemas).filter((name) => !refs.has(name))).toEqual([]);
    const schemes = new Set(operations.flatMap(({ security }) => security.flatMap((each) => Object.keys(each))));
    expect(Object.keys(components.securitySchemes).filter((name) => !schemes.has(name))).toEqual([]);
  });
});

test("the errors of outbound messages declare the members that clients read", () => {
  for (const name of ["Error", "Problem"])
    expect(Object.keys(document.components.schemas[name]?.properties ?? {})).toEqual(
      expect.arrayContaining(["success", "error_code", "error_message"]),
    );
});

test("each resource has a description", () => {
  expect(Object.keys(RESOURCE_DESCRIPTIONS)).toEqual(Object.keys(api));
});

test("no two rows share a method and path", () => {
  const routes = rowsOf(api).map(({ row }) => row.route);
  expect(new Set(routes).size).toBe(routes.length);
});
