import type { Visitor } from "@parley/contract";
import type { PanelProfile, PanelUser } from "../../../bridge/bridge.ts";

/** -> both profiles; the fields and the properties of the second one replace those of the first */
export const mergedProfile = (known: PanelProfile, added: PanelProfile): PanelProfile => {
  const properties = new Map(
    [...(known.properties ?? []), ...(added.properties ?? [])].map((each) => [each.name, each]),
  );
  const fields = Object.fromEntries(Object.entries(added).filter(([, value]) => value !== undefined));
  return { ...known, ...fields, ...(properties.size > 0 && { properties: [...properties.values()] }) };
};

/** -> the fields and properties that the visitor does not have yet */
export const changedProfile = (visitor: Visitor, { properties = [], ...fields }: PanelProfile): PanelProfile => {
  const known = new Map((visitor.properties ?? []).map(({ name, value }) => [name, value]));
  const changed = properties.filter(({ name, value }) => known.get(name) !== value);
  const entries = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && visitor[name as keyof typeof fields] !== value,
  );
  return { ...Object.fromEntries(entries), ...(changed.length > 0 && { properties: changed }) };
};

export const isEmptyProfile = (profile: PanelProfile): boolean => Object.keys(profile).length === 0;

/** -> the visitor as sites see it */
export const panelUserOf = (visitor: Visitor): PanelUser => ({
  uuid: visitor.user_id,
  ...(visitor.external_id !== undefined && { externalId: visitor.external_id }),
  restoreId: visitor.restore_id,
  ...(visitor.first_name !== undefined && { firstName: visitor.first_name }),
  ...(visitor.last_name !== undefined && { lastName: visitor.last_name }),
  ...(visitor.email !== undefined && { email: visitor.email }),
  ...(visitor.phone !== undefined && { phone: visitor.phone }),
  isNameGenerated: visitor.is_name_generated,
  meta: Object.fromEntries((visitor.properties ?? []).map(({ name, value }) => [name, value])),
});
