import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { partMessages as texts } from "./messages.ts";
import { OriginalLink } from "./original-link.tsx";
import { PartPicture } from "./part-picture.tsx";
import styles from "./parts.module.css";

interface LightboxProps {
  readonly address: string;
  readonly alt: string;
  readonly onClose: () => void;
}

/** A picture of a message in a dialog. */
const Lightbox = ({ address, alt, onClose }: LightboxProps) => (
  <Dialog
    title={alt}
    isOpen
    isWide
    onClose={onClose}
    actions={
      <OriginalLink address={address} className={styles.link}>
        <Icon name="external" />
      </OriginalLink>
    }
  >
    <PartPicture src={address} alt={alt} className={styles.large} fallback={<p>{texts.notShown}</p>} />
  </Dialog>
);
export default Lightbox;
