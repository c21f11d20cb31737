import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { substitute, SubstitutionFailed, type TemplateSources } from "../../src/model/templates/substitute.ts";
import { parseTemplate, TemplateError } from "../../src/model/templates/template.ts";

const SECRET = "canary-5f1c";
/** A multi-line key as an admin pastes it into a paragraph field. */
const PEM = "-----BEGIN KEY-----\r\nQUJD\n-----END KEY-----\n";
const from: TemplateSources = {
  values: { domain: "acme.parley.localhost", name: "Ann", count: 3, yes: true, list: ["a", "b"] },
  secrets: { key: SECRET, pem: PEM },
  context: { id: "42", n: 7, deep: { a: 1 }, tricky: "a b/ü?x=1#y\\z", up: "../../agents", line: "a\r\nX-Evil: 1" },
  domain: "acme.parley.localhost",
  isTrusted: true,
};
const schema = { method: "GET" as const, host: "a.example" };
const header = (text: string, sources = from) =>
  substitute({ schema: { ...schema, headers: { H: text } } }, sources, () => sources).headers["H"];
const path = (text: string) => substitute({ schema: { ...schema, path: text } }, from, () => from).path;

describe("a substitution inserts", () => {
  test.each([
    ["an installation parameter", "x<%= iparam.name %>y", "xAnny"],
    ["a number", "<%=iparam.count%>", "3"],
    ["a boolean", "<%= iparam.yes %>", "true"],
    ["a list", "<%= iparam.list %>", "a,b"],
    ["a context value", "<%= context.id %>/<%= context.n %>", "42/7"],
    ["a secure parameter in a header", "Bearer <%= iparam.key %>", `Bearer ${SECRET}`],
    ["a value in base64", "<%= encode(iparam.name) %>", "QW5u"],
    ["joined values in base64", `Basic <%= encode(iparam.name + ":" + 'x') %>`, `Basic ${btoa("Ann:x")}`],
    ["joined values", `<%= iparam.name + "-" + context.id %>`, "Ann-42"],
    ["the account's URL", "<%= current_host.endpoint_urls.freshchat %>", "https://acme.parley.localhost"],
    ["a multi-line secret in base64", "<%= encode(iparam.pem) %>", btoa(PEM)],
    ["a choice by a multi-line secret", "<%= iparam.pem ? 'signed' : 'plain' %>", "signed"],
    ["an empty text for an absent value", "plain", "plain"],
    ["a value literally, even if it looks like a substitution", "<%= iparam.name %>", "<%= iparam.key %>"],
  ])("%s", (title, text, filled) => {
    const sources = title.startsWith("a value literally") ? { ...from, values: { name: "<%= iparam.key %>" } } : from;
    expect(header(text, sources)).toBe(filled);
  });
});

describe("a template is rejected", () => {
  test.each([
    ["<%= iparam.gone %>", "iparam.gone has no value"],
    ["<%= context.gone %>", "context.gone has no value"],
    ["<%= context.deep %>", "context.deep has no value"],
    ["<%= context.line %>", "context.line has a line break in it"],
    ["<%= iparam.pem %>", "iparam.pem has a line break in it"],
    ["<%= iparam.pem || 'none' %>", "iparam.pem has a line break in it"],
    ["<%= iparam.__proto__ %>", "iparam.__proto__ has no value"],
    ["<%= context.constructor %>", "context.constructor has no value"],
    ["<%= process.env %>", "process.env has no value"],
    ["<%= current_host.endpoint_urls.other %>", "current_host.endpoint_urls.other has no value"],
  ])("that reads an unknown value: %s", (text, message) => {
    expect(() => header(text)).toThrow(new SubstitutionFailed(message));
  });

  test.each([
    "<%= %>",
    "<%= a b %>",
    "<%= iparam.a",
    "<% if %>",
    "<%= encode(iparam.a %>",
    "<%= a + %>",
    "<%= a; b %>",
    "<%= `a` %>",
  ])("that can't be parsed: %s", (text) => {
    expect(() => header(text)).toThrow(TemplateError);
  });

  test.each(["host", "path", "query"] as const)("that would insert a secure parameter into %s", (place) => {
    const text = "/<%= iparam.key %>";
    const fields = { host: { host: text }, path: { path: text }, query: { query: { q: text } } }[place];
    expect(() => substitute({ schema: { ...schema, ...fields } }, from, () => from)).toThrow(
      "iparam.key is secure: it may stand in headers only",
    );
  });

  test.each(["host", "headers"] as const)("that would let an agent page insert context into %s", (place) => {
    const text = "<%= context.id %>.example";
    const fields = { host: { host: text }, headers: { headers: { H: text } } }[place];
    const template = { schema: { ...schema, ...fields } };
    expect(() => substitute(template, { ...from, isTrusted: false }, () => ({ ...from, isTrusted: false }))).toThrow(
      `context can't stand in ${place} here`,
    );
    expect(() => substitute(template, from, () => from)).not.toThrow();
  });
});

describe("the path of a template", () => {
  test.each([
    ["/v2/users/<%= context.id %>", "/v2/users/42"],
    ["/<%= context.tricky %>", "/a%20b/%C3%BC?x=1%23y%5Cz"],
    ["/a?b=<%= context.id %>", "/a?b=42"],
  ])("%s becomes %s", (text, filled) => {
    expect(path(text)).toBe(filled);
  });

  test.each(["/v2/users/<%= context.up %>", "/x/%2E%2e/y", "/a/./b"])("%s must not contain parent segments", (text) => {
    expect(() => path(text)).toThrow("the path climbs");
  });
});

test("a query parameter with only an absent value is omitted, and one with additional text is rejected", () => {
  const query = (text: string) =>
    substitute({ schema: { ...schema, query: { page: text, b: "1" } } }, from, () => from).query;
  expect(query("<%= context.gone %>")).toEqual([["b", "1"]]);
  expect(query("<%= context.n %>")).toEqual([
    ["page", "7"],
    ["b", "1"],
  ]);
  expect(() => query("p<%= context.gone %>")).toThrow(SubstitutionFailed);
});

test("any value stays within one header line, one path and one host, and secrets stay in headers", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const sources = { ...from, context: { value } };
      const template = {
        schema: {
          ...schema,
          path: "/<%= context.value %>/end",
          headers: { H: "<%= context.value %>" },
          query: { q: "<%= context.value %>" },
        },
      };
      let filled;
      try {
        filled = substitute(template, sources, () => sources);
      } catch (error) {
        return error instanceof SubstitutionFailed && !error.message.includes(SECRET);
      }
      const { pathname, search, hash } = new URL(`https://a.example${filled.path}`);
      return (
        !/[\r\n\0]/.test(filled.headers["H"] ?? "\n") &&
        /^\/[\x21-\x7e]*$/.test(filled.path) &&
        pathname + search === filled.path.replace(/\?$/, "") &&
        hash === ""
      );
    }),
  );
});

test("any text is either parsed as a template or rejected as one", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("<%=", "%>", "iparam.a", "encode(", ")", "+", " ", '"', "'", "x", ".", "<%")),
      (parts) => {
        try {
          parseTemplate(parts.join(""));
          return true;
        } catch (error) {
          return error instanceof TemplateError;
        }
      },
    ),
  );
});
