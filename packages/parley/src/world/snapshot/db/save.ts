import { qualifiedName, quoted, type CatalogTable } from "./catalog.ts";

/** Schema that holds the rows of a snapshot. */
export const schemaOf = (snapshot: string): string => `parley_snapshot_${snapshot}`;

/** Name of the table in that schema that holds the rows of another table. */
export const savedTable = ({ schema, name }: CatalogTable): string => `${schema.replace(/^parley_/, "")}_${name}`;

export const savedName = (snapshot: string, table: CatalogTable): string =>
  `${quoted(schemaOf(snapshot))}.${quoted(savedTable(table))}`;

/** Statements that copy the rows of tables, replacing the previous content of the snapshot. */
export const savingOf = (snapshot: string, tables: readonly CatalogTable[]): string =>
  [
    `drop schema if exists ${quoted(schemaOf(snapshot))} cascade`,
    `create schema ${quoted(schemaOf(snapshot))}`,
    ...tables.map((table) => `create table ${savedName(snapshot, table)} as table ${qualifiedName(table)}`),
  ].join(";\n");

export const removalOf = (snapshot: string): string => `drop schema if exists ${quoted(schemaOf(snapshot))} cascade`;

export const renamingOf = (snapshot: string, name: string): string =>
  `alter schema ${quoted(schemaOf(snapshot))} rename to ${quoted(schemaOf(name))}`;

/** Statement that counts the saved rows. */
export const countOf = (snapshot: string, tables: readonly CatalogTable[]): string =>
  `select ${tables.map((table) => `(select count(*) from ${savedName(snapshot, table)})`).join(" + ") || "0"} as count`;
