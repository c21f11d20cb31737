import type { User } from "@parley/contract";
import { formatDateTime } from "../i18n/format.ts";
import { Badge } from "../ui/badge.tsx";
import { EDITED_FIELDS } from "./customer-fields.ts";
import styles from "./customer.module.css";
import { EditableField } from "./editable-field.tsx";
import { customerMessages as texts } from "./messages.ts";

/** How a customer is called and reached. Agents change it here. */
export const CustomerContact = ({ user }: { readonly user: User }) => (
  <dl className={styles.fields}>
    {EDITED_FIELDS.map((field) => (
      <EditableField key={field} user={user} field={field} />
    ))}
    {user.reference_id && (
      <div className={styles.field}>
        <dt className={styles.name}>{texts.reference}</dt>
        <dd className={styles.line}>
          <span className={styles.value}>{user.reference_id}</span>
          {user.login_status && <Badge tone="success">{texts.verified}</Badge>}
        </dd>
      </div>
    )}
    <div className={styles.field}>
      <dt className={styles.name}>{texts.createdTime}</dt>
      <dd className={styles.line}>
        <time dateTime={user.created_time}>{formatDateTime(user.created_time)}</time>
      </dd>
    </div>
  </dl>
);

const SOCIAL_NAMES = { facebook: "Facebook", twitter: "Twitter", skype: "Skype", linkedin: "LinkedIn" } as const;

/** Data that the business stored about a customer: it comes from other systems, which change it. */
export const CustomerProperties = ({ user }: { readonly user: User }) => {
  const properties = (user.properties ?? []).filter(({ value }) => value !== "");
  if (properties.length === 0) return <p className={styles.none}>{texts.noProperties}</p>;
  return (
    <dl className={styles.fields}>
      {properties.map(({ name, value }, index) => (
        <div key={`${index} ${name}`} className={styles.field}>
          <dt className={styles.name}>{name}</dt>
          <dd className={styles.text}>{value}</dd>
        </div>
      ))}
    </dl>
  );
};

export const CustomerSocialProfiles = ({ user }: { readonly user: User }) => (
  <dl className={styles.fields}>
    {user.social_profiles?.map(({ type, id }) => (
      <div key={`${type} ${id}`} className={styles.field}>
        <dt className={styles.name}>{SOCIAL_NAMES[type]}</dt>
        <dd className={styles.text}>{id}</dd>
      </div>
    ))}
  </dl>
);
