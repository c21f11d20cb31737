import type { NewUser, User } from "@parley/contract";
import { User as UserSchema } from "@parley/contract";
import { serializerOf } from "../http/serializer.ts";
import type { Ports } from "../ports.ts";

/** A user as the JSON text that is kept and replied. */
export const userText = serializerOf(UserSchema);

/** Nobody is to guess it: who shows it is taken for the user. @units bytes */
const RESTORE_ID_BYTES = 18;

/**
 * Makes the object of what a caller gives.
 * @assumed An e-mail address need not be unique; restore_id and org_contact_id are assigned at creation; avatar, properties and
 * social_profiles are present when empty.
 */
export const newUser = (given: NewUser, ports: Ports): User => {
  const created_time = ports.now().toISOString();
  return {
    avatar: {},
    properties: [],
    social_profiles: [],
    ...given,
    id: ports.newId(),
    created_time,
    updated_time: created_time,
    login_status: false,
    org_contact_id: ports.newId(),
    restore_id: ports.random(RESTORE_ID_BYTES).toString("base64url"),
  };
};
