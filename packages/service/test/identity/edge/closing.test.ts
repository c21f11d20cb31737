import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "@jest/globals";
import { waitUntil } from "../../../../../test/support/wait-until.ts";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";

describe("closing the service", () => {
  /** A request whose body is incomplete, once the service has begun to answer it. */
  const half = async (w: ServiceHarness, length: number): Promise<Socket> => {
    const socket = connect(Number(new URL(w.url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    const head = ["POST /v2/users HTTP/1.1", "Host: localhost", `Authorization: Bearer ${w.token}`];
    socket.write(`${[...head, "Expect: 100-continue", `Content-Length: ${length}`].join("\r\n")}\r\n\r\n{`);
    expect(String((await once(socket, "data"))[0])).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    return socket;
  };
  /** Longer than any test. @units milliseconds */
  const drainTimeoutMs = 600_000;

  test("lets a request in progress finish, and accepts no new requests", async () => {
    const w = await serviceHarness({ drainTimeoutMs });
    const socket = await half(w, 2);
    const closed = w.close();
    await waitUntil(() =>
      fetch(w.url).then(
        () => false,
        ({ cause }: Error) => (cause as { readonly code?: string }).code === "ECONNREFUSED",
      ),
    );
    socket.write("}");
    expect(await text(socket)).toMatch(/^HTTP\/1.1 201 Created/);
    await closed;
  });

  test("ends a request that does not finish in time", async () => {
    const w = await serviceHarness({ drainTimeoutMs: 20 });
    const socket = await half(w, 100);
    await w.close();
    expect(await text(socket)).toBe("");
  });

  test("does not wait for idle connections, and may be called twice", async () => {
    const w = await serviceHarness({ drainTimeoutMs });
    await w.raw("GET", "/v2/groups");
    await Promise.all([w.close(), w.close()]);
  });
});
