import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { openSecretsKeyFile, openVault } from "@parley/database";
import { createRequestForwarding } from "../../src/platform/process/forwarding.ts";

const listening = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return { server, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

test("processes pass requests on to each other during and after a rotation of the key", async () => {
  const folder = await mkdtemp(join(tmpdir(), "parley-forwarding-"));
  const owner = { project: "demo", account: "acme" };
  const [first, second] = [
    createRequestForwarding(await openVault(folder, randomBytes, undefined)),
    createRequestForwarding(await openVault(folder, randomBytes, undefined)),
  ];
  const stranger = createRequestForwarding(await openVault("/nowhere", randomBytes, "0".repeat(64)));
  let sender = first;
  const to = await listening((request, response) => response.end(JSON.stringify(second.ownerOf(request) ?? null)));
  const from = await listening((request, response) =>
    sender.forward(request, response, { address: to.address, owner }),
  );
  const ownerSeen = async (): Promise<unknown> => (await fetch(from.address)).json();
  const file = await openSecretsKeyFile(folder, randomBytes);
  expect(await ownerSeen()).toEqual(owner);
  await file?.addKey();
  expect(await ownerSeen()).toEqual(owner);
  await file?.removeEarlierKeys();
  expect(await ownerSeen()).toEqual(owner);
  sender = stranger;
  expect(await ownerSeen()).toBe(null);
  for (const { server } of [from, to]) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});
