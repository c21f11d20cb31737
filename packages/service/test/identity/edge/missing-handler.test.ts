import fastify from "fastify";
import { expect, test } from "@jest/globals";
import { admin, createPageAddressOf, drafts, groups, identity, type Resource } from "@parley/contract";
import { createFailedAuthenticationLimit } from "../../../src/identity/allowance/failed-authentication.ts";
import { adminMount } from "../../../src/operations/administration/endpoints/mount.ts";
import { consoleMount } from "../../../src/console/pages/mount.ts";
import type { Admission } from "../../../src/identity/edge/admission.ts";
import { createHttpServer, type HttpServerDeps } from "../../../src/identity/edge/http-server.ts";
import type { MountRoutes } from "../../../src/http/area-module.ts";
import type { ResourceRoutes, RouteHandlers } from "../../../src/http/route-handlers.ts";
import { realPorts } from "../../../src/index.ts";
import { identityMount } from "../../../src/identity/sign-in/mount.ts";

const guard = createFailedAuthenticationLimit(realPorts);
const admit: Admission = () => Promise.reject(new Error("No request is sent."));

/** A table with a handler for each row, which no request reaches, except for one operation. */
const tableWithout = (resource: Resource, removed?: string): ResourceRoutes => {
  const operations = Object.keys(resource).filter((operation) => operation !== removed);
  const handlers: RouteHandlers<Resource> = Object.fromEntries(
    operations.map((operation) => [operation, () => Promise.resolve(undefined)]),
  );
  return { resource, handlers };
};

const mounted = async (mount: MountRoutes): Promise<void> => {
  const app = fastify();
  app.decorateRequest("caller", null);
  await mount(app, () => Promise.resolve());
  await app.ready();
};

/** Mounts a table where its endpoints are mounted by the service. */
const MOUNTS: readonly (readonly [string, Resource, string, (table: ResourceRoutes) => Promise<unknown>])[] = [
  [
    "of the API",
    groups,
    "listGroups",
    (table) => createHttpServer({ slices: [table], guard, admit, log: () => undefined } as unknown as HttpServerDeps),
  ],
  [
    "of the console",
    drafts,
    "saveDraft",
    (table) => mounted(consoleMount({ tables: [table], admit, originOf: () => "" })),
  ],
  [
    "of the sign-in",
    identity.signIn,
    "signInByPassword",
    (table) => mounted(identityMount({ tables: [table], admit, guard, pageAddressOf: createPageAddressOf(undefined) })),
  ],
  ["of the administration", admin, "applyAccount", (slice) => mounted(adminMount({ key: "key", slice, guard }))],
];

test.each(MOUNTS)("an endpoint %s without a handler prevents the start", async (_, resource, operation, mount) => {
  const route = resource[operation]?.route ?? "";
  await expect(mount(tableWithout(resource, operation))).rejects.toThrow(`The endpoint ${route} has no handler.`);
});
