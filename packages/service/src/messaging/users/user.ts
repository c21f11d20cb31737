import { type NewUser, type User, User as UserSchema } from "@parley/contract";
import { serializerOf } from "../../http/serializer.ts";
import type { Ports } from "../../base/environment/ports.ts";

/** Serializes a user as stored and returned. */
export const userJson = serializerOf(UserSchema);

/** Unguessable bearer secret that authenticates the user. @units bytes */
const RESTORE_ID_BYTES = 18;

export const newRestoreId = ({ random }: Pick<Ports, "random">): string =>
  random(RESTORE_ID_BYTES).toString("base64url");

/**
 * Creates the object from a request.
 * @assumed An e-mail address need not be unique; restore_id and org_contact_id are assigned at creation; avatar,
 * properties and social_profiles are present when empty.
 */
export const newUser = (input: NewUser, ports: Ports): User => {
  const created_time = ports.now().toISOString();
  return {
    avatar: {},
    properties: [],
    social_profiles: [],
    ...input,
    id: ports.newId(),
    created_time,
    updated_time: created_time,
    login_status: false,
    org_contact_id: ports.newId(),
    restore_id: newRestoreId(ports),
  };
};
