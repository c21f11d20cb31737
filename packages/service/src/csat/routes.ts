import { csat } from "@parley/contract";
import { slice } from "../http/slice.ts";
import type { rating } from "./rating.ts";

export const csatSlice = (deps: { readonly rate: ReturnType<typeof rating> }) =>
  slice(csat, {
    async createCsat({ caller, params, body, claim }) {
      return deps.rate(caller.account, params.conversation_id, body, claim);
    },
  });
