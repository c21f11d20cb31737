/** What the schema of a member says about its values, in the words of JSON Schema. */
export interface MemberSchema {
  readonly type?: "string" | "boolean" | "integer" | "array" | "object";
  readonly enum?: readonly string[];
  /** @units code points */
  readonly minLength?: number;
  /** @units code points */
  readonly maxLength?: number;
  /** A regular expression with the flag u. */
  readonly pattern?: string;
  readonly maxItems?: number;
  /** Of an array. */
  readonly items?: MemberSchema;
  /** Whether records must have the member. */
  readonly isRequired?: boolean;
}

/** Members of a record that a form checks, by name. */
export type FormSchema<N extends string = string> = { readonly [K in N]: MemberSchema };

const KEYWORDS = ["type", "enum", "minLength", "maxLength", "pattern", "maxItems", "items"] as const;

const picked = (schema: object): MemberSchema =>
  Object.fromEntries(
    KEYWORDS.flatMap((keyword) => {
      const value: unknown = keyword in schema ? schema[keyword as keyof typeof schema] : undefined;
      if (value === undefined) return [];
      return [[keyword, keyword === "items" ? picked(value as object) : value]];
    }),
  );

/**
 * Picks members of a schema of the contract for a form. Modules named `contract-values.ts` call it, which are evaluated when the page is
 * built: the page has the members, without descriptions, and not the schema.
 */
export const formSchema = <const N extends string>(
  {
    properties,
    required = [],
  }: { readonly properties: { readonly [K in N]: object }; readonly required?: readonly string[] },
  names: readonly N[],
): FormSchema<N> => {
  const members = names.map((name) => [
    name,
    { ...picked(properties[name]), ...(required.includes(name) && { isRequired: true }) },
  ]);
  return Object.fromEntries(members) as FormSchema<N>;
};
