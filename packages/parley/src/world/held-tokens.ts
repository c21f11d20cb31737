import { hashOf, type AdminApi } from "@parley/service";

/** Tokens that the instance itself calls with: they have to outlive an exchange of its data. */
export const heldTokens = () => {
  const hashes = new Set<string>();
  let isOver = false;
  const hold = (token: string) => {
    if (!isOver) hashes.add(hashOf(token).toString("hex"));
  };
  return {
    /** @shape hex */
    hashes: (): readonly string[] => [...hashes],
    /** What comes from now on is of the data. */
    enough: () => void (isOver = true),
    /** Holds what is issued, and what is asked for and found valid or renewed. */
    holding: (admin: AdminApi): AdminApi => ({
      ...admin,
      async issueToken(wanted) {
        const made = await admin.issueToken(wanted);
        hold(made.token);
        return made;
      },
      async isValidToken(token) {
        const isValid = await admin.isValidToken(token);
        if (isValid) hold(token);
        return isValid;
      },
      async renewToken(token, to) {
        const isRenewed = await admin.renewToken(token, to);
        if (isRenewed) hold(token);
        return isRenewed;
      },
    }),
  };
};
