import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { LIMITS } from "@parley/contract";
import { serviceHarness, type ServiceHarness } from "../../service-harness.ts";
import {
  fakeClock,
  GREETING_TEMPLATE,
  MINUTE_MS,
  RECIPIENT_NUMBERS,
  saveTemplate,
  outboundRequest,
  sendOutbound,
} from "./outbound-fixture.ts";

const time = fakeClock();
let w: ServiceHarness;
const requests: string[] = [];
beforeAll(async () => {
  w = await serviceHarness({ ports: { now: time.now } });
  await saveTemplate(w, GREETING_TEMPLATE);
  for (let round = 0; round < 3; round += 1) {
    requests.unshift(
      (await sendOutbound(w, outboundRequest({}, [RECIPIENT_NUMBERS.never, RECIPIENT_NUMBERS.other]))).request_id,
    );
    time.advance(MINUTE_MS);
  }
});
afterAll(() => w.close());

interface Page {
  readonly outbound_messages: readonly {
    readonly request_id: string;
    readonly to: readonly { readonly phone_number: string }[];
  }[];
  readonly link?: { readonly rel: string; readonly href: string };
}
const page = async (path: string): Promise<Page> => {
  const reply = await w.raw("GET", path);
  expect(reply.status).toBe(200);
  return (await reply.json()) as Page;
};
const idsAndNumbersOf = ({ outbound_messages }: Page) =>
  outbound_messages.map(({ request_id, to }) => [request_id, to[0]?.phone_number]);
const all = () =>
  requests.flatMap((id) => [RECIPIENT_NUMBERS.never, RECIPIENT_NUMBERS.other].map((number) => [id, number]));

describe("GET /outbound-messages", () => {
  test("GET /outbound-messages 200: all of the account, newest request first, one row per recipient", async () => {
    const found = await page("/v2/outbound-messages");
    expect(idsAndNumbersOf(found)).toEqual(all());
    expect(found).not.toHaveProperty("link");
    expect(found.outbound_messages[0]).toMatchObject({
      message_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: expect.stringMatching(/^(Accepted|Sent)$/),
      created_on: Date.parse("2026-03-01T10:02:00.000Z"),
      ...{ from: outboundRequest().from, provider: "chatapp", data: outboundRequest().data },
    });
  });

  test("GET /outbound-messages 200: link leads to the next page, and is absent on the last", async () => {
    const seen: unknown[] = [];
    let path: string | undefined = "/v2/outbound-messages?items_per_page=4";
    let pages = 0;
    while (path) {
      const found: Page = await page(path);
      seen.push(...idsAndNumbersOf(found));
      path = found.link?.href;
      if (path) expect(found.link?.rel).toBe("outbound_message");
      pages += 1;
    }
    expect([pages, seen]).toEqual([2, all()]);
    const exact = await page("/v2/outbound-messages?items_per_page=3&page=2");
    expect([idsAndNumbersOf(exact), exact.link]).toEqual([all().slice(3), undefined]);
  });

  test("GET /outbound-messages 200: a client that reads all pages gets each message of the first page's time exactly once, while others are sent", async () => {
    const first = await page("/v2/outbound-messages?items_per_page=2");
    const before = idsAndNumbersOf(await page("/v2/outbound-messages?items_per_page=100"));
    const seen: unknown[] = idsAndNumbersOf(first);
    let path = first.link?.href;
    while (path) {
      requests.unshift(
        (await sendOutbound(w, outboundRequest({}, [RECIPIENT_NUMBERS.never, RECIPIENT_NUMBERS.other]))).request_id,
      );
      const found: Page = await page(path);
      seen.push(...idsAndNumbersOf(found));
      path = found.link?.href;
    }
    expect(seen).toEqual(before);
    // Without the upper bound in the link the pages would shift.
    const newest = idsAndNumbersOf(await page("/v2/outbound-messages?items_per_page=2"));
    requests.unshift(
      (await sendOutbound(w, outboundRequest({}, [RECIPIENT_NUMBERS.never, RECIPIENT_NUMBERS.other]))).request_id,
    );
    expect(idsAndNumbersOf(await page("/v2/outbound-messages?items_per_page=2&page=2"))).toEqual(newest);
  });

  test("GET /outbound-messages 200: the list is empty before the first request, and without another account's", async () => {
    const foreign = await w.solo.outbound.listOutboundMessages({ query: { until: requests[0] } });
    expect(foreign).toEqual({ outbound_messages: [] });
    for (const until of ["42", "00000000-0000-7000-8000-000000000000"])
      expect(await page(`/v2/outbound-messages?until=${until}`)).toEqual({ outbound_messages: [] });
  });

  test("GET /outbound-messages 200: request_id filters, also on the next page", async () => {
    const found = await page(`/v2/outbound-messages?request_id=${requests[1]?.toUpperCase()}&items_per_page=1`);
    expect(idsAndNumbersOf(found)).toEqual([all()[2]]);
    const next = await page(found.link?.href ?? "");
    expect([idsAndNumbersOf(next), next.link]).toEqual([[all()[3]], undefined]);
  });

  test("GET /outbound-messages 200: an unknown request, or another account's, is an empty list", async () => {
    const { outbound } = w.solo;
    const foreign = await outbound.listOutboundMessages({ query: { request_id: requests[0] } });
    expect(foreign).toEqual({ outbound_messages: [] });
    expect(await outbound.listOutboundMessages({ query: {} })).toEqual({ outbound_messages: [] });
    for (const id of ["42", "00000000-0000-7000-8000-000000000000", "%27%20or%20true"])
      expect(await page(`/v2/outbound-messages?request_id=${id}`)).toEqual({ outbound_messages: [] });
  });

  test("GET /outbound-messages 200: a page size over the maximum is limited, a page beyond the end is empty", async () => {
    expect(idsAndNumbersOf(await page("/v2/outbound-messages?items_per_page=9999"))).toEqual(all());
    expect(await page("/v2/outbound-messages?page=999999999999&items_per_page=100")).toEqual({ outbound_messages: [] });
  });

  test.each([
    "page=0",
    "page=-1",
    "page=x",
    "items_per_page=0",
    "page=1&page=2",
    "request_id=a%00",
    "until=a%00",
    `request_id=${"x".repeat(1_025)}`,
  ])("GET /outbound-messages 400 INVALID_VALUE: %s", async (query) => {
    const reply = await w.raw("GET", `/v2/outbound-messages?${query}`);
    expect([reply.status, ((await reply.json()) as { status: string }).status]).toEqual([400, "INVALID_VALUE"]);
  });

  test("GET /outbound-messages 200: request_id alone returns every message of the largest request", async () => {
    const numbers = Array.from({ length: LIMITS.outbound_recipients }, (_, index) => `+1202555${1000 + index}`);
    const { link } = await sendOutbound(w, outboundRequest({}, numbers));
    const found = await page(link.href);
    expect(found.outbound_messages.map(({ to }) => to)).toEqual(numbers.map((phone_number) => [{ phone_number }]));
    expect(found).not.toHaveProperty("link");
  });

  test("DELETE on the list's path answers 405", async () => {
    const reply = await w.raw("DELETE", "/v2/outbound-messages");
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
