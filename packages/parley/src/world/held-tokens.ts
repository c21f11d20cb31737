import { hashOf, type AdminApi } from "@parley/service";

/** Records the tokens that the instance itself uses, which have to stay valid when its data is replaced. */
export const heldTokens = () => {
  const hashes = new Set<string>();
  let isOver = false;
  const hold = (token: string) => {
    if (!isOver) hashes.add(hashOf(token).toString("hex"));
  };
  return {
    /** @shape hex */
    hashes: (): readonly string[] => [...hashes],
    /** Stops recording: later tokens belong to the data. */
    enough: () => void (isOver = true),
    /** Wraps an admin API so that tokens that are issued, renewed or found valid are recorded. */
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
