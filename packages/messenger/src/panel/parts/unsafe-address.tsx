/** @jsxImportSource preact */
import { visibleName } from "@parley/contract/display";
import { useDisplay } from "../elements/display.ts";
import { Icon } from "../elements/icon.tsx";

/** In place of a link to an address that must not be opened. */
export const UnsafeAddress = ({ label, address }: { readonly label: string; readonly address: string }) => {
  const { texts } = useDisplay();
  return (
    <p class="unsafeAddress">
      <Icon name="warning" />
      <span>
        <bdi>{label}</bdi>. {texts.unsafeAddress}: <bdi>{visibleName(address).slice(0, 200)}</bdi>
      </span>
    </p>
  );
};
