import { expect, test } from "@jest/globals";
import { openPageStorage } from "../../../src/panel/model/session/page-storage.ts";
import {
  createSessionStore,
  parseSession,
  storageKeyOf,
  type SessionChange,
} from "../../../src/panel/model/session/session-store.ts";
import { fakeStorage } from "./fake-storage.ts";

const KEY = storageKeyOf("acme", "https://shop.example");
let ids = 0;

/** A tab of a browser with the given storage. */
const tabOf = (storage: Storage, namedExternalId?: string) => {
  const changes: SessionChange[] = [];
  const store = createSessionStore({
    key: KEY,
    storage: openPageStorage(() => storage),
    newId: () => `generation-${(ids += 1)}`,
    namedExternalId: () => namedExternalId,
    onChange: (change) => void changes.push(change),
  });
  return { store, changes };
};

const blocked = (): Storage => {
  throw new DOMException("Access is denied", "SecurityError");
};

test("nothing is stored before a generation begins, and a new page finds the session of the same site and account only", () => {
  const storage = fakeStorage();
  const { store } = tabOf(storage);
  expect(storage.length).toBe(0);
  store.save({ token: "visitor_1" });
  expect(tabOf(storage).store.current()?.token).toBe("visitor_1");
  expect(storage.getItem(storageKeyOf("acme", "https://shop.example:8443"))).toBeNull();
  expect(storage.getItem(storageKeyOf("other", "https://shop.example"))).toBeNull();
});

test("a session that another tab began for the same person is taken over", () => {
  const storage = fakeStorage();
  const [one, other] = [tabOf(storage), tabOf(storage)];
  one.store.save({ token: "visitor_1" });
  expect(other.store.check()).toBe(false);
  expect(other.changes).toEqual(["begun"]);
  expect(other.store.current()?.token).toBe("visitor_1");
});

test("a tab whose person was cleared by another tab drops its session, also when a next person has begun", () => {
  const storage = fakeStorage();
  const one = tabOf(storage);
  one.store.save({ token: "visitor_1" });
  const [second, third] = [tabOf(storage), tabOf(storage)];
  one.store.forget();
  expect(second.store.check()).toBe(false);
  expect(second.store.current()).toBeUndefined();
  one.store.save({ token: "visitor_2" });
  expect(third.store.check()).toBe(false);
  expect(third.changes).toEqual(["replaced"]);
  expect(third.store.current()?.token).toBe("visitor_2");
});

test("a page that named another user neither shows nor replaces the session of the next person", () => {
  const storage = fakeStorage();
  const ada = tabOf(storage, "ada");
  ada.store.save({ token: "visitor_ada", externalId: "ada" });
  const next = tabOf(storage, "bob");
  next.store.forget();
  next.store.save({ token: "visitor_bob", externalId: "bob" });
  ada.store.check();
  expect(ada.store.current()).toBeUndefined();
  ada.store.save({ token: "visitor_later" });
  expect(ada.store.isKept()).toBe(false);
  expect(tabOf(storage).store.current()?.token).toBe("visitor_bob");
});

test("a page that named a user does not take over a session whose user becomes known later", () => {
  const storage = fakeStorage();
  const [ada, anybody] = [tabOf(storage, "ada"), tabOf(storage)];
  const bob = tabOf(storage, "bob");
  bob.store.generation();
  bob.store.save({ token: "visitor_bob", externalId: "bob" });
  for (const each of [ada, anybody]) each.store.check();
  expect(ada.store.current()).toBeUndefined();
  expect(anybody.store.current()?.token).toBe("visitor_bob");
});

test("a draft of an anonymous visitor does not keep the session of the user that the site names next from being stored", () => {
  const storage = fakeStorage();
  tabOf(storage).store.generation();
  const { store } = tabOf(storage, "ada");
  expect(store.check()).toBe(true);
  store.save({ token: "visitor_ada", externalId: "ada" });
  expect([store.isKept(), tabOf(storage).store.current()?.token]).toEqual([true, "visitor_ada"]);
});

test("where storage is blocked the session lives in the page only", () => {
  const changes: SessionChange[] = [];
  const store = createSessionStore({
    key: KEY,
    storage: openPageStorage(blocked),
    newId: () => "g",
    namedExternalId: () => undefined,
    onChange: (change) => void changes.push(change),
  });
  store.save({ token: "visitor_1" });
  expect([store.isKept(), store.check(), store.current()?.token]).toEqual([false, true, "visitor_1"]);
  store.forget();
  expect([store.current(), changes]).toEqual([undefined, []]);
});

test("the key of the browser is in memory until there is a session, and ends with the person", () => {
  const storage = fakeStorage();
  const { store } = tabOf(storage);
  const key = store.browserKey();
  expect([storage.length, store.browserKey()]).toEqual([0, key]);
  store.save({ token: "visitor_1" });
  expect(tabOf(storage).store.browserKey()).toBe(key);
  store.forget({ keepsKey: true });
  store.save({ token: "visitor_2" });
  expect(tabOf(storage).store.browserKey()).toBe(key);
  const other = tabOf(storage);
  store.forget();
  other.store.check();
  expect([store.browserKey(), other.store.browserKey()]).not.toContain(key);
});

test("a tab whose session another tab has signed anew learns of it", () => {
  const storage = fakeStorage();
  const one = tabOf(storage);
  one.store.save({ token: "visitor_1", signedUntil: "2026-01-01T00:00:00Z" });
  const other = tabOf(storage);
  one.store.save({ token: "visitor_1", signedUntil: "2026-01-01T01:00:00Z" });
  other.store.check();
  expect([other.changes, other.store.current()?.signedUntil]).toEqual([["begun"], "2026-01-01T01:00:00Z"]);
});

test.each([
  ["no JSON", "x"],
  ["null", "null"],
  ["a number for the generation", '{"generation":1}'],
  ["nothing", undefined],
])("a stored value that is %s is no session", (_, text) => expect(parseSession(text)).toBeUndefined());
