import { Dialog } from "../../ui/dialog.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Picture } from "../../ui/picture.tsx";
import { partMessages as texts } from "./messages.ts";
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
      <a href={address} target="_blank" rel="noopener noreferrer" className={styles.link}>
        <Icon name="external" />
        {texts.openOriginal}
      </a>
    }
  >
    <Picture src={address} alt={alt} className={styles.large} fallback={<p>{texts.notShown}</p>} />
  </Dialog>
);
export default Lightbox;
