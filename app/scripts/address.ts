import type { Client } from "@parley/framework/sdk";
import type { ShownAddress } from "../../server/panel-address.ts";
import { byId, setText, show } from "./elements.ts";
import { failureOf } from "./format.ts";

const QUESTION = {
  title: "Make a new address?",
  message: "Systems that use the present address can’t reach Concierge any more until you give them the new one.",
  saveLabel: "Make a new address",
  cancelLabel: "Keep it",
};

/** The address for events of other systems: shown once, and renewed on request. */
export const addressOn = (client: Client, ask: <Answer>(name: string, args: object) => Promise<Answer>) => {
  const value = byId<HTMLInputElement>("address-value");
  const says = byId("address-says");
  let isBusy = false;

  const tell = async (args: object): Promise<void> => {
    const told = await ask<ShownAddress>("panelAddress", args);
    show(byId("address-show"), false);
    show(byId("address-renew"), true);
    show(byId("address-line"), "address" in told);
    if ("address" in told) {
      value.value = told.address;
      value.focus();
      value.select();
      return setText(says, "Copy it now: it is not shown again.");
    }
    setText(says, "The address was shown before, and is not shown again. A new one takes its place.");
    byId("address-renew").focus();
  };
  const press = async (act: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    setText(byId("address-problem"), "");
    await act().catch((error: unknown) => setText(byId("address-problem"), failureOf(error).message));
    isBusy = false;
  };

  byId("address-show").addEventListener("click", () => void press(() => tell({})));
  byId("address-renew").addEventListener(
    "click",
    () =>
      void press(async () => {
        const { success } = await client.interface.trigger("showConfirm", QUESTION);
        if (success === true) await tell({ renew: true });
      }),
  );
  byId("address-copy").addEventListener(
    "click",
    () =>
      void press(async () => {
        value.select();
        try {
          await navigator.clipboard.writeText(value.value);
          setText(byId("said"), "The address is copied.");
          setText(byId("address-copy"), "Copied");
        } catch {
          setText(byId("address-problem"), "The browser does not let the address be copied: press Ctrl+C.");
        }
      }),
  );
  return { show: (isOffered: boolean) => show(byId("address"), isOffered) };
};
