import type { UserFilters } from "./filters.ts";

/** What is looked for, and which part of it. */
export interface UserSelection {
  readonly filters: UserFilters;
  readonly sort_by: "created_time" | "updated_time" | "first_name" | "last_name" | "email";
  readonly sort_order: "asc" | "desc";
  readonly limit: number;
  readonly offset: number;
}

/** `items`: the bodies, apart by commas. */
export interface UserPage {
  readonly total: number;
  readonly items: string;
}
