import { isDeepStrictEqual } from "node:util";
import { INVALID_VALUE, refuse, type AppliedDocument, type AccountSection } from "@parley/contract";

export type SectionChange = AppliedDocument["changes"][number];

/** Refuses the value at a place of the document. @errors INVALID_VALUE */
export const refuseChange = (place: string, reason: string): never => refuse(INVALID_VALUE, `${place} ${reason}`);

/** Context of a merge. */
export interface SectionMerge {
  /** Path in the document, such as `groups[2]`. */
  readonly place: string;
  /** Removes the entries that nested lists of the item omit. */
  readonly prune: boolean;
  /** Also empties a nested list that the item omits completely. */
  readonly pruneOmitted: boolean;
  readonly newId: () => string;
  /** Position of the item in its list, from 0. */
  readonly index: number;
}

/** How items of one section are matched with rows, merged and reported. */
export interface SectionRules<W extends object, R extends { readonly id: string }> {
  readonly section: AccountSection;
  readonly nameOf: (row: R) => string;
  /** Whether an item without an id denotes this row. */
  matches(item: W, row: R): boolean;
  merge(present: R | undefined, item: W, context: SectionMerge): R;
  /** The members by which rows are compared and changes reported; the members of the row if absent. */
  readonly membersOf?: (row: R) => object;
  /** Whether the row is built in. Such a row is never removed. */
  isFixed?(row: R): boolean;
  /** Whether rows have the order in which they were written: those of a document then get its order. */
  readonly isOrdered?: true;
}

export interface SectionPlan<R> {
  readonly after: readonly R[];
  readonly put: readonly R[];
  readonly removed: readonly R[];
  readonly changes: readonly SectionChange[];
  readonly unchanged: number;
}

export const changedMembers = (before: object, after: object): string[] => {
  const [old, next] = [before, after] as Record<string, unknown>[];
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => !isDeepStrictEqual(old?.[name], next?.[name]),
  );
};

const idOf = (item: object): string | undefined =>
  "id" in item && typeof item.id === "string" ? item.id.toLowerCase() : undefined;

const checkUnique = (named: readonly (readonly [name: string, place: string])[]) => {
  const places = new Map<string, string>();
  for (const [name, place] of named) {
    const other = places.get(name);
    if (other !== undefined) refuseChange(place, `names ${name} a second time: it is named by ${other} already`);
    places.set(name, place);
  }
};

/** Names the change of a row that only gets another place. */
const ORDER = "order";

/** The present rows that the document lists before a row that they follow. */
const movedRows = <R extends object>(
  present: readonly R[],
  merged: readonly { readonly before: R | undefined }[],
): ReadonlySet<R> => {
  const moved = new Set<R>();
  let last = -1;
  for (const { before } of merged) {
    if (!before) continue;
    const index = present.indexOf(before);
    if (index < last) moved.add(before);
    last = Math.max(last, index);
  }
  return moved;
};

interface SectionOptions {
  /** Removes rows that the list omits. */
  readonly prune: boolean;
  /** Removes the entries that nested lists of items omit. */
  readonly pruneNested?: boolean;
  /** Ids or names of rows to remove. */
  readonly remove?: readonly string[] | undefined;
  readonly newId: () => string;
}

/** @errors INVALID_VALUE for a name that no row has, and for a row that is built in */
const findRemoved = <W extends object, R extends { readonly id: string }>(
  rules: SectionRules<W, R>,
  present: readonly R[],
  { name, place }: { readonly name: string; readonly place: string },
): R => {
  const row =
    present.find(({ id }) => id === name.toLowerCase()) ?? present.find((each) => rules.nameOf(each) === name);
  if (!row) return refuseChange(place, `names nothing that there is: ${name}`);
  if (rules.isFixed?.(row)) refuseChange(place, `is built in and can't be removed: ${rules.nameOf(row)}`);
  return row;
};

/**
 * Computes the changes that one list of a document makes to the present rows. An item is matched by id, then by name; a matched row
 * keeps its id.
 * @errors INVALID_VALUE that names the place in the document
 */
export function planSection<W extends object, R extends { readonly id: string }>(
  rules: SectionRules<W, R>,
  present: readonly R[],
  items: readonly W[] | undefined,
  { prune, pruneNested = prune, remove = [], newId }: SectionOptions,
): SectionPlan<R> {
  const { section, nameOf, membersOf = (row: R) => row } = rules;
  if (!items && remove.length === 0) return { after: present, put: [], removed: [], changes: [], unchanged: 0 };

  const find = (item: W, place: string): R | undefined => {
    const id = idOf(item);
    const byId = id === undefined ? undefined : present.find((row) => row.id === id);
    const byName = present.find((row) => rules.matches(item, row));
    if (id !== undefined && !byId && byName)
      refuseChange(
        `${place}.id`,
        `is not that of ${nameOf(byName)}, which is ${byName.id}: leave it out, or give that id`,
      );
    return byId ?? byName;
  };

  const merged = (items ?? []).map((item, index) => {
    const place = `${section}[${index}]`;
    const before = find(item, place);
    return {
      place,
      before,
      after: rules.merge(before, item, { place, prune: pruneNested, pruneOmitted: prune, newId, index }),
    };
  });
  checkUnique(merged.map(({ after, place }) => [after.id, place]));
  const found = new Set(merged.map(({ before }) => before));
  const unmatched = present.filter((row) => !found.has(row));
  const named = new Set(
    remove.map((name, index) => findRemoved(rules, present, { name, place: `remove.${section}[${index}]` })),
  );
  for (const { before, place } of merged)
    if (before && named.has(before))
      refuseChange(place, `is named by remove.${section} as well: leave it out of one of them`);
  const removed = unmatched.filter((row) => named.has(row) || (items && prune && !rules.isFixed?.(row)));
  const remaining = unmatched.filter((row) => !removed.includes(row));
  checkUnique([
    ...remaining.map((row) => [nameOf(row), "the account"] as const),
    ...merged.map(({ after, place }) => [nameOf(after), place] as const),
  ]);

  const moved = rules.isOrdered ? movedRows(present, merged) : new Set<R>();
  const compared = merged.map(({ before, after }) => ({
    after,
    isNew: before === undefined,
    members: before
      ? [...changedMembers(membersOf(before), membersOf(after)), ...(moved.has(before) ? [ORDER] : [])]
      : [],
  }));
  const changed = compared.filter(({ isNew, members }) => isNew || members.length > 0);
  // A written row comes last, so that the rows that follow it in the document are written again.
  const firstChanged = compared.findIndex((each) => changed.includes(each));
  const written = rules.isOrdered && firstChanged !== -1 ? compared.slice(firstChanged) : changed;
  return {
    after: [...remaining, ...merged.map(({ after }) => after)],
    put: written.map(({ after }) => after),
    removed,
    changes: [
      ...changed.map(({ after, isNew, members }): SectionChange => {
        return { change: isNew ? "create" : "update", section, name: nameOf(after), members };
      }),
      ...removed.map((row): SectionChange => ({ change: "remove", section, name: nameOf(row), members: [] })),
    ],
    unchanged: compared.length - changed.length,
  };
}
