import { Icon, type IconName } from "../../ui/icon.tsx";
import { partMessages as texts } from "./messages.ts";
import { OriginalLink } from "./original-link.tsx";
import styles from "./parts.module.css";

interface UnshownMediaProps {
  readonly icon: IconName;
  readonly text: string;
  readonly address: string;
}

/** Takes the place of a picture or video that can't be loaded, or that another host has. Its address remains within reach. */
export const UnshownMedia = ({ icon, text, address }: UnshownMediaProps) => (
  <p className={styles.box}>
    <Icon name={icon} />
    <span>
      {text} <OriginalLink address={address} />
    </span>
  </p>
);

export const UnshownPicture = ({ address }: Pick<UnshownMediaProps, "address">) => (
  <UnshownMedia icon="image" text={texts.notShown} address={address} />
);
