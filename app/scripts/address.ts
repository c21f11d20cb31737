import type { Client } from "@parley/framework/sdk";
import type { ShownAddress } from "../../server/panel.ts";
import { byId, setText, show } from "./elements.ts";
import { failureOf } from "./format.ts";

const RENEWAL_CONFIRMATION = {
  title: "Make a new address?",
  message: "Systems that use the present address can’t reach Concierge any more until you give them the new one.",
  saveLabel: "Make a new address",
  cancelLabel: "Keep it",
};

/** The address for events of other systems: shown once, and renewed on request. */
export const createAddressSection = (client: Client, call: <Answer>(name: string, args: object) => Promise<Answer>) => {
  const value = byId<HTMLInputElement>("address-value");
  const hint = byId("address-hint");
  let isBusy = false;

  const showAddress = async (args: object): Promise<void> => {
    const result = await call<ShownAddress>("panelAddress", args);
    show(byId("address-show"), false);
    show(byId("address-renew"), true);
    show(byId("address-line"), "address" in result);
    if ("address" in result) {
      value.value = result.address;
      value.focus();
      value.select();
      return setText(hint, "Copy it now: it is not shown again.");
    }
    setText(hint, "The address was shown before, and is not shown again. A new one takes its place.");
    byId("address-renew").focus();
  };
  const runAction = async (action: () => Promise<void>): Promise<void> => {
    if (isBusy) return;
    isBusy = true;
    setText(byId("address-problem"), "");
    await action().catch((error: unknown) => setText(byId("address-problem"), failureOf(error).message));
    isBusy = false;
  };

  byId("address-show").addEventListener("click", () => void runAction(() => showAddress({})));
  byId("address-renew").addEventListener(
    "click",
    () =>
      void runAction(async () => {
        const { success } = await client.interface.trigger("showConfirm", RENEWAL_CONFIRMATION);
        if (success === true) await showAddress({ renew: true });
      }),
  );
  byId("address-copy").addEventListener(
    "click",
    () =>
      void runAction(async () => {
        value.select();
        try {
          await navigator.clipboard.writeText(value.value);
          setText(byId("announcement"), "The address is copied.");
          setText(byId("address-copy"), "Copied");
        } catch {
          setText(byId("address-problem"), "The browser does not let the address be copied: press Ctrl+C.");
        }
      }),
  );
  return { show: (isOffered: boolean) => show(byId("address"), isOffered) };
};
