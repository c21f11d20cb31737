import { describe, expect, test } from "@jest/globals";
import type { Migration } from "@parley/database";
import { testDatabase } from "@parley/database/testing";
import { compareReleases } from "./compatibility.ts";
import { fileFixture } from "../support/file-fixture.ts";

/** The rules find migrations on whose schema the previous release can't run, and accept all others. */

const RELEASED: readonly Migration[] = [
  {
    id: 1,
    name: "released",
    sql: `create table users (id int primary key, name text not null default '', email text, phone text unique);
          create table messages (id int generated always as identity primary key, body text not null);
          create function greeting() returns text language sql return 'hello';
          create sequence numbers;`,
  },
  { id: 2, name: "unused", sql: "alter table users add column unused text" },
];
const STATEMENTS = [
  "select name, email from users where id = $1",
  "insert into users (id, phone) values ($1, $2) on conflict (phone) do nothing",
  "insert into messages (body) values ($1)",
  "select greeting(), nextval('numbers')",
];

let count = 0;
const database = fileFixture(testDatabase);

const problemsOf = async (sql: string, more: Partial<Migration> = {}) => {
  const migrations = [...RELEASED, { id: 3, name: "next", sql, ...more }];
  count += 1;
  const place = (name: string) => ({ database, schema: `${name}_${count}` });
  const places = { before: place("before"), after: place("after"), scratch: place("scratch") };
  const { planned, problems } = await compareReleases({ ...places, previous: 2, statements: STATEMENTS, migrations });
  expect(planned).toBe(STATEMENTS.length);
  return problems;
};
const statementFails = (reason: string) =>
  expect.stringMatching(new RegExp(`^A statement of the previous release fails \\(${reason}`));
const next = (reason: string) => `Migration 3 (next) ${reason}.`;

describe("the rules for migrations", () => {
  test.each([
    ["a table", "create table more (id int primary key, user_id int references users)", {}],
    ["a column that may be null", "alter table users add column locale text", {}],
    ["a column with a default", "alter table users add column locale text not null default 'en'", {}],
    ["an index without blocking", "", { indexes: [{ name: "users_email", on: "users (email)" }] }],
    ["a contract of what the previous release does not use", "alter table users drop column unused", { needs: 2 }],
  ])("a migration that adds %s is accepted", async (_title, sql, more) => {
    expect(await problemsOf(sql, more)).toEqual([]);
  });

  test.each([
    [
      "drops a column",
      "alter table users drop column email",
      [next("drops or renames the column users.email"), statementFails('column "email" does not exist')],
    ],
    [
      "renames a column",
      "alter table users rename column email to mail",
      [next("drops or renames the column users.email"), statementFails('column "email" does not exist')],
    ],
    [
      "drops a column that no statement uses",
      "alter table users drop column unused",
      [next("drops or renames the column users.unused")],
    ],
    [
      "changes a type",
      "alter table users alter column email type varchar(20)",
      [
        next("changes the type of users.email"),
        next("writes all rows of users anew while every statement on it waits"),
      ],
    ],
    [
      "requires a column",
      "alter table users alter column email set not null",
      [next("requires users.email to be filled")],
    ],
    ["drops a default", "alter table users alter column name drop default", [next("drops the default of users.name")]],
    [
      "adds a column without a default",
      "alter table users add column code text not null",
      [next("adds the column users.code that must be filled, without a default")],
    ],
    [
      "adds a check",
      "alter table users add check (name <> 'x')",
      [next("adds a constraint to users: CHECK ((name <> 'x'::text))")],
    ],
    [
      "drops what a conflict is decided by",
      "alter table users drop constraint users_phone_key",
      [
        next("drops the uniqueness of users by btree (phone)"),
        statementFails("there is no unique or exclusion constraint"),
      ],
    ],
    [
      "drops a function",
      "drop function greeting()",
      [next("drops or renames the function greeting()"), statementFails("function greeting\\(\\) does not exist")],
    ],
    [
      "changes all messages",
      "update messages set body = body || '.'",
      [next("changes rows of messages in one transaction: change them in the background")],
    ],
    [
      "builds an index",
      "create index users_email on users (email)",
      [next('builds an index on users while writes wait: name it in the migration\'s "indexes"')],
    ],
  ])("a migration that %s is refused", async (_title, sql, problems) => {
    expect(await problemsOf(sql)).toEqual(problems);
  });

  test("a migration that drops a table is refused, with every statement that uses it", async () => {
    const problems = await problemsOf("drop table messages");
    expect(problems).toContain(next("drops or renames the table messages"));
    expect(problems).toContainEqual(statementFails('relation "messages" does not exist'));
  });

  test("a migration that rewrites a table is refused", async () => {
    const added = "alter table users add column key text generated always as (lower(name)) stored";
    expect(await problemsOf(added)).toContain(next("writes all rows of users anew while every statement on it waits"));
  });

  test("a migration that requires uniqueness is refused, also without blocking", async () => {
    const index = { name: "users_name", on: "users (name)" };
    expect(await problemsOf("create unique index users_name on users (name)", {})).toContain(
      next("requires users to be unique by btree (name)"),
    );
    expect(await problemsOf("", { indexes: [index] })).toEqual([]);
  });

  test("a contract is refused while the previous release uses what it removes, and before the release that stops using it", async () => {
    expect(await problemsOf("alter table users drop column email", { needs: 2 })).toEqual([
      statementFails('column "email" does not exist'),
    ]);
    expect(await problemsOf("alter table users drop column unused", { needs: 3 })).toEqual([
      next("needs migration 3, and the previous release has no migration after 2: contract one release later"),
    ]);
  });
});
