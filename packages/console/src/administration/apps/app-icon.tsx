import { Icon } from "../../ui/icon.tsx";
import { Picture } from "../../pictures/picture.tsx";
import styles from "./apps.module.css";

/** The icon of an app, which has no meaning beside its name. @shape icon: data URL */
export const AppIcon = ({ icon }: { readonly icon: string | undefined }) => (
  <span className={styles.icon} aria-hidden="true">
    {icon === undefined ? (
      <Icon name="app" />
    ) : (
      <Picture src={icon} source={undefined} alt="" fallback={<Icon name="app" />} />
    )}
  </span>
);
