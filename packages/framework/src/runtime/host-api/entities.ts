import { createHash } from "node:crypto";
import {
  APP_LIMITS,
  type EntitiesConfig,
  type EntityAction,
  type EntityField,
  type EntityRecord,
} from "@parley/contract";
import { refuseCall } from "../../model/app-refused.ts";
import type { RecordOwner } from "../../state/records.sql.ts";
import { validateFields, refuseQuery, queryAlternatives } from "../../model/entity-fields.ts";
import type { EntityRow, EntityStore } from "../../state/entities.sql.ts";

/** Entity storage of an app (`$db.entity`). The arguments come from the app's process and may be any value. */
export interface Entities {
  /** Performs one operation on an entity. @errors AppRefused */
  call(entity: unknown, action: EntityAction, args: readonly unknown[]): Promise<unknown>;
}

interface EntitiesDeps {
  readonly store: EntityStore;
  /** Entities that `config/entities.json` declares. */
  readonly declared: () => EntitiesConfig;
  readonly now: () => Date;
}

/** @assumed a page has 100 records */
const PAGE_SIZE = 100;
const PREFIX_LETTERS = 5;
const FIRST_LETTER = 97;

/** @assumed derived from the entity's name, so that it is the same on every host */
const prefixOf = (entity: string): string =>
  [...createHash("sha256").update(entity).digest().subarray(0, PREFIX_LETTERS)]
    .map((byte) => String.fromCharCode(FIRST_LETTER + (byte % 26)))
    .join("");

function refuseUnknown(): never {
  refuseCall(404, "Record not found", { errorSource: "APP" });
}

const numberIn = (entity: string, id: unknown): number => {
  const [, prefix, number = ""] = typeof id === "string" ? (/^([a-z]+)-([1-9]\d{0,8})$/.exec(id) ?? []) : [];
  if (prefix !== prefixOf(entity)) refuseUnknown();
  return Number(number);
};

const afterIn = (options: Readonly<Record<string, unknown>>): number => {
  const { next } = options;
  if (next === undefined || next === null) return 0;
  const marker: unknown = typeof next === "object" ? Reflect.get(next, "marker") : undefined;
  const text = typeof marker === "string" ? Buffer.from(marker, "base64url").toString() : "";
  if (!/^after:\d{1,9}$/.test(text)) refuseQuery("next.marker is the one of links.next of an earlier answer");
  return Number(text.slice("after:".length));
};
const markerOf = (number: number): string => Buffer.from(`after:${number}`).toString("base64url");

/** In the order of the declared fields; absent fields are null. */
const recordOf = (entity: string, { number, value, created_time, updated_time }: EntityRow): EntityRecord => ({
  display_id: `${prefixOf(entity)}-${number}`,
  created_time: created_time.toISOString(),
  updated_time: updated_time.toISOString(),
  data: value,
});

const sized = <Value extends object>(value: Value): Value => {
  if (Buffer.byteLength(JSON.stringify(value)) > APP_LIMITS.entityRecordBytes)
    refuseCall(400, "A record may have 100 KB", { errorSource: "APP" });
  return value;
};

export const createEntities = ({ store, declared, now }: EntitiesDeps, owner: RecordOwner): Entities => {
  type Act = (name: string, fields: readonly EntityField[], args: readonly unknown[]) => Promise<unknown>;
  const record = (name: string, row: EntityRow | undefined) => {
    if (!row) refuseUnknown();
    return { record: recordOf(name, row) };
  };
  const acts: Readonly<Record<EntityAction, Act>> = {
    schema: async (name, fields) => ({
      id: Object.keys(declared()).indexOf(name) + 1,
      name,
      prefix: prefixOf(name),
      fields,
    }),
    create: async (name, fields, [input]) =>
      record(name, await store.create(owner, name, sized(validateFields(fields, input, true)), now())),
    get: async (name, _fields, [id]) => record(name, await store.find(owner, name, numberIn(name, id))),
    async getAll(name, fields, [input]) {
      const options = (typeof input === "object" && input !== null ? input : {}) as Readonly<Record<string, unknown>>;
      const { query } = options;
      const matches = query === undefined || query === null ? undefined : queryAlternatives(fields, query);
      const rows = await store.list(owner, name, afterIn(options), matches, PAGE_SIZE + 1);
      const page = rows.slice(0, PAGE_SIZE);
      const last = page.at(-1);
      const next = rows.length > PAGE_SIZE && last ? { next: { marker: markerOf(last.number) } } : {};
      return { records: page.map((row) => recordOf(name, row)), links: next };
    },
    /** @assumed absent fields keep their values */
    update: async (name, fields, [id, input]) => {
      const changed = sized(validateFields(fields, input, false));
      return record(name, await store.change(owner, name, numberIn(name, id), changed, now()));
    },
    /** @assumed answered with an empty object */
    delete: async (name, _fields, [id]) => {
      if (!(await store.remove(owner, name, numberIn(name, id)))) refuseUnknown();
      return {};
    },
  };
  return {
    async call(entity, action, args) {
      const all = declared();
      const name = typeof entity === "string" ? entity : "";
      const found = Object.hasOwn(all, name) ? all[name] : undefined;
      if (found) return acts[action](name, found.fields, args);
      const names = Object.keys(all).join(", ");
      refuseCall(
        404,
        names === ""
          ? `The entity '${name}' is not declared: the app has no config/entities.json`
          : `The entity '${name}' is not declared in config/entities.json; declared are ${names}`,
        { errorSource: "APP" },
      );
    },
  };
};
