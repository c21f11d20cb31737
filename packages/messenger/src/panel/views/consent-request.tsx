/** @jsxImportSource preact */
import { safeLink } from "@parley/contract/display";
import { useDisplay } from "../elements/display.ts";
import { Link } from "../elements/link.tsx";

/** Asks the visitor before anything is stored in the browser or sent. */
export const ConsentRequest = () => {
  const { texts, site, actions } = useDisplay();
  const address = safeLink(site.consentLink ?? "");
  return (
    <div class="home">
      <div class="centered">
        <p>{texts.consent}</p>
        {address !== undefined && (
          <p>
            <Link href={address}>{texts.consentLink}</Link>
          </p>
        )}
        <div class="resolution">
          <button type="button" class="primary" onClick={() => actions.agree()}>
            {texts.agree}
          </button>
          <button type="button" class="secondary" onClick={() => actions.requestClose()}>
            {texts.notNow}
          </button>
        </div>
      </div>
    </div>
  );
};
