import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { parleyClient } from "@parley/client";
import { basePathOf } from "@parley/contract";
import { serviceConfig } from "../../../src/index.ts";
import { plainRequest } from "../../plain-http.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

let w: ServiceHarness;
let solo: string;
beforeAll(async () => {
  w = await serviceHarness();
  ({ token: solo } = await w.admin.issueToken({ account: "solo", name: "hosts" }));
});
afterAll(() => w.close());

const UNKNOWN_ID = "3d6f3f7e-0000-4000-8000-000000000000";
const at = (path: string, { token = w.token, host, method = "GET", to = w }: Partial<HostRequest> = {}) =>
  plainRequest(to.url, { method, path, headers: { authorization: `Bearer ${token}`, ...(host && { host }) } });
interface HostRequest {
  readonly token: string;
  readonly host: string;
  readonly method: string;
  readonly to: ServiceHarness;
}
const statusOf = ({ status, text }: { status: number; text: string }): [number, string?] => {
  const token = status < 400 || text === "" ? undefined : (JSON.parse(text) as { status: string }).status;
  return token === undefined ? [status] : [status, token];
};

describe("an account of a suite", () => {
  test("has a base path that already contains the version", () => {
    expect(basePathOf({ name: "acme", bundle_id: 7 })).toBe("/suite/acme/v2");
    expect(basePathOf({ name: "solo", bundle_id: 0 })).toBe("/v2");
  });

  const cases: [string, string, Partial<HostRequest>, [number, string?]][] = [
    ["its own path", "/suite/acme/v2/agents", {}, [200]],
    ["the plain path", "/v2/agents", {}, [200]],
    ["a last slash", "/suite/acme/v2/agents/?page=1", {}, [200]],
    ["HEAD", "/suite/acme/v2/agents", { method: "HEAD" }, [200]],
    ["no token", "/suite/acme/v2/agents", { token: "none" }, [401, "UNAUTHENTICATED"]],
    ["its own host too", "/suite/acme/v2/agents", { host: "acme.parley.localhost" }, [200]],
    ["another account's host", "/suite/acme/v2/agents", { host: "solo.parley.localhost" }, [403, "FORBIDDEN"]],
    ["another account's path", "/suite/solo/v2/agents", {}, [403, "FORBIDDEN"]],
    ["a path of nobody", "/suite/nobody/v2/agents", {}, [403, "FORBIDDEN"]],
    ["its name in other letters", "/suite/ACME/v2/agents", {}, [403, "FORBIDDEN"]],
    ["the path alone", "/suite/acme/v2", {}, [404, "NOT_FOUND"]],
    ["no version", "/suite/acme/agents", {}, [404, "NOT_FOUND"]],
    ["another version", "/suite/acme/v3/agents", {}, [404, "NOT_FOUND"]],
    ["a version that begins alike", "/suite/acme/v22/agents", {}, [404, "NOT_FOUND"]],
    ["a path twice", "/suite/acme/v2/suite/acme/v2/agents", {}, [404, "NOT_FOUND"]],
    ["an empty name", "/suite//v2/agents", {}, [404, "NOT_FOUND"]],
    ["what lies outside the API", "/suite/acme/v2/health", {}, [404, "NOT_FOUND"]],
    ["an unknown address", "/suite/acme/v2/nothing", {}, [404, "NOT_FOUND"]],
    ["an unknown id", `/suite/acme/v2/users/${UNKNOWN_ID}`, {}, [404, "USER_NOT_FOUND"]],
    ["a broken escape", "/suite/acme/v2/users/%zz", {}, [400, "INVALID_VALUE"]],
    ["another method", "/suite/acme/v2/users", { method: "PATCH" }, [405, "METHOD_NOT_ALLOWED"]],
  ];
  test.each(cases)("%s: %s", async (_, path, request, expected) => {
    expect(statusOf(await at(path, request))).toEqual(expected);
  });

  test("refuses another account's token, and a stand-alone account has no such path", async () => {
    expect(statusOf(await at("/suite/acme/v2/agents", { token: solo }))).toEqual([403, "FORBIDDEN"]);
    const own = await at("/suite/solo/v2/agents", { token: solo });
    expect(JSON.parse(own.text)).toEqual({
      code: 404,
      status: "NOT_FOUND",
      message: "The account solo is not built into a suite: its address is /v2.",
    });
  });

  test("returns links under the path of the request", async () => {
    const { text } = await at("/suite/acme/v2/agents/?items_per_page=1");
    const { links } = JSON.parse(text) as { links: Record<string, { href: string }> };
    expect(links["next_page"]?.href).toBe("/suite/acme/v2/agents?items_per_page=1&page=2");
    expect((await at(links["next_page"]?.href ?? "")).status).toBe(200);
    const { id } = await w.client.users.createUser({ body: { first_name: "Ann" } });
    const removed = await at(`/suite/acme/v2/users/${id}`, { method: "DELETE" });
    expect(JSON.parse(removed.text)).toMatchObject({ link: { href: `/suite/acme/v2/users/${id}` } });
  });

  test("works with the typed client", async () => {
    const client = parleyClient({ url: `${w.url}/suite/acme/v2`, token: w.token });
    expect((await client.agents.listAgents()).agents.length).toBeGreaterThan(0);
  });

  test("is the server of its own OpenAPI document", async () => {
    const { text } = await plainRequest(w.url, { path: "/suite/acme/v2/openapi.json" });
    expect(JSON.parse(text)).toMatchObject({ servers: [{ url: "/suite/acme/v2" }] });
  });
});

describe("the host for outbound messages", () => {
  const host = "outbound.parley.localhost";
  const cases: [string, Partial<HostRequest>, [number, string?]][] = [
    ["/v2/outbound-messages?request_id=none", { host }, [200]],
    ["/v2/outbound-messages/", { host: `${host}:8080` }, [200]],
    ["/v2/outbound-messages", { host, token: "none" }, [401, "UNAUTHENTICATED"]],
    ["/v2/outbound-messages", { host, method: "PUT" }, [405, "METHOD_NOT_ALLOWED"]],
    ["/v2/agents", { host }, [404, "NOT_FOUND"]],
    ["/v2/agents", { host: "OUTBOUND.parley.localhost." }, [404, "NOT_FOUND"]],
    ["/v2/outbound-messages", { host: "acme.parley.localhost" }, [200]],
    ["/v2/outbound-messages", { host: "solo.parley.localhost" }, [403, "FORBIDDEN"]],
    ["/health", { host }, [200]],
  ];
  test.each(cases)("%s at %j gets %j", async (path, request, expected) => {
    expect(statusOf(await at(path, request))).toEqual(expected);
  });
  test("serves every account, which the token alone determines", async () => {
    expect((await at("/v2/outbound-messages", { host, token: solo })).status).toBe(200);
  });
});

describe("the settings PARLEY_DOMAIN and PARLEY_OUTBOUND_HOST", () => {
  test("set the host names", async () => {
    const to = await serviceHarness({ config: { domain: "chat.example.com", outboundHost: "send.example.com" } });
    const code = async (path: string, host: string) => (await at(path, { to, host, token: to.token })).status;
    expect(await code("/v2/agents", "acme.chat.example.com")).toBe(200);
    expect(await code("/v2/agents", "solo.chat.example.com")).toBe(403);
    expect(await code("/v2/agents", "solo.parley.localhost")).toBe(200);
    expect(await code("/v2/agents", "chat.example.com")).toBe(200);
    expect(await code("/v2/agents", "send.example.com")).toBe(404);
    expect(await code("/v2/outbound-messages", "send.example.com:443")).toBe(200);
    await to.close();
  });

  test("must be host names, or absent", () => {
    expect(serviceConfig({})).toMatchObject({ domain: undefined, outboundHost: undefined });
    expect(serviceConfig({ PARLEY_DOMAIN: "", PARLEY_OUTBOUND_HOST: "" })).toMatchObject({ domain: undefined });
    expect(serviceConfig({ PARLEY_DOMAIN: "Chat.example.com", PARLEY_OUTBOUND_HOST: "send" })).toMatchObject({
      domain: "chat.example.com",
      outboundHost: "send",
    });
  });
  test.each(["https://a.b", "a.b:80", "a..b", ".a", "a.", "a b", "a/b", "-a.b", "x".repeat(64)])(
    "refuse '%s'",
    (text) => {
      expect(() => serviceConfig({ PARLEY_DOMAIN: text })).toThrow(/^PARLEY_DOMAIN must be a host name/);
      expect(() => serviceConfig({ PARLEY_OUTBOUND_HOST: text })).toThrow(/^PARLEY_OUTBOUND_HOST must be a host name/);
    },
  );
});
