import { accounts } from "@parley/contract";
import { slice } from "../http/slice.ts";

export const accountSlice = () =>
  slice(accounts, {
    async getConfiguration({ caller }) {
      return caller.account.configuration;
    },
  });
