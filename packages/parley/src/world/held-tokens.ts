import { hashOf, type AdminApi } from "@parley/service";

/** Records the tokens that the instance itself uses, which have to stay valid when its data is replaced. */
export const heldTokens = () => {
  const hashes = new Set<string>();
  let isStopped = false;
  const record = (token: string) => {
    if (!isStopped) hashes.add(hashOf(token).toString("hex"));
  };
  return {
    /** @shape hex */
    hashes: (): readonly string[] => [...hashes],
    /** Stops recording: later tokens belong to the data. */
    stopRecording: () => void (isStopped = true),
    /** Wraps an admin API so that tokens that are issued, renewed or found valid are recorded. */
    recording: (admin: AdminApi): AdminApi => ({
      ...admin,
      async issueToken(wanted) {
        const made = await admin.issueToken(wanted);
        record(made.token);
        return made;
      },
      async isValidToken(token) {
        const isValid = await admin.isValidToken(token);
        if (isValid) record(token);
        return isValid;
      },
      async renewToken(token, to) {
        const isRenewed = await admin.renewToken(token, to);
        if (isRenewed) record(token);
        return isRenewed;
      },
    }),
  };
};
