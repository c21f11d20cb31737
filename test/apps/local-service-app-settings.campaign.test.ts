import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { world, type World } from "@parley/framework/testing";
import { temporaryFolder } from "../support/parley-process.ts";

const FILES = {
  "package.json": { name: "configured" },
  "manifest.json": {
    "platform-version": "3.0",
    modules: { common: { functions: { ask: {} }, requests: { vendor: {} } }, chat_conversation: {} },
  },
  "config/iparams.json": {},
  "config/app_settings.json": { vendor_key: {}, region: { secure: false } },
  "config/requests.json": {
    vendor: {
      schema: {
        method: "GET",
        host: "api.example.com",
        path: "/<%= app_settings.region %>",
        headers: { key: "<%= app_settings.vendor_key %>" },
      },
    },
  },
  "server/server.js": `exports = {
    ask: () => $request.invokeTemplate("vendor", {}).then(({ response }) => renderData(null, response), renderData),
    onSettingsUpdate: ({ region }) => renderData(region === "moon" ? { message: "No data is kept there." } : undefined),
  };`,
};

let base: Awaited<ReturnType<typeof temporaryFolder>>;
let vendor: Server;
let testWorld: World;
beforeAll(async () => {
  base = await temporaryFolder();
  for (const [file, content] of Object.entries(FILES)) {
    await mkdir(join(base.folder, file, ".."), { recursive: true });
    await writeFile(join(base.folder, file), typeof content === "string" ? content : JSON.stringify(content));
  }
  vendor = createServer((request, reply) => reply.end(`${request.url} ${String(request.headers["key"])}`));
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  const origin = `http://localhost:${(vendor.address() as AddressInfo).port}`;
  testWorld = await world({ folder: base.folder, maps: { "api.example.com": origin } });
});
afterAll(async () => {
  await testWorld.close();
  vendor.closeAllConnections();
  await new Promise((resolve) => vendor.close(resolve));
  await base.remove();
});

test("an app's own test sets app settings, receives the app's rejection, and clears them by a reset", async () => {
  await testWorld.setAppSettings({ vendor_key: "canary-vendor", region: "eu" });
  expect((await testWorld.function("ask")).output).toBe("/eu canary-vendor");
  await expect(testWorld.setAppSettings({ region: "moon" })).rejects.toThrow(
    "App settings of configured can't be set: No data is kept there.",
  );
  await testWorld.reset();
  expect((await testWorld.function("ask")).error).toContain("app_settings.region has no value");
});
