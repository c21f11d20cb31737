import field from "./field.module.css";

/** Why something is refused or failed, which screen readers announce; nothing without a reason. */
export const Problem = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p role="alert" className={field.error}>
      {text}
    </p>
  );
