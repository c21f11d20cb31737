/** @jsxImportSource preact */
import { visibleName } from "@parley/contract/display";
import type { ComponentChildren } from "preact";
import { useDisplay } from "../elements/display.ts";
import { IconButton } from "../elements/icon-button.tsx";
import { Icon } from "../elements/icon.tsx";
import type { OutgoingMessage, UploadInProgress } from "../model/panel-model.ts";

interface OutgoingProps {
  readonly outgoing: OutgoingMessage;
}

const UploadName = ({ upload }: { readonly upload: UploadInProgress }) => {
  const { texts, format } = useDisplay();
  return (
    <span class="fileLink">
      <Icon name="file" />
      <span class="fileText">
        <bdi class="fileName">{visibleName(upload.name) || texts.file}</bdi>
        <span class="detail">{format.size(upload.bytes)}</span>
      </span>
    </span>
  );
};

/** What is sent: the parts, or the file that is being uploaded. */
export const OutgoingContent = ({ outgoing, children }: OutgoingProps & { readonly children: ComponentChildren }) => {
  const { upload } = outgoing;
  if (!upload) return <>{children}</>;
  if (upload.isImage && upload.previewUrl !== undefined)
    return (
      <div class="bubble mediaBubble">
        <span class="picture">
          <img src={upload.previewUrl} alt={visibleName(upload.name)} />
        </span>
      </div>
    );
  return (
    <div class="bubble">
      <UploadName upload={upload} />
    </div>
  );
};

interface OutgoingStateProps extends OutgoingProps {
  readonly onRetry: (outgoingId: string) => void;
  readonly onDiscard: (outgoingId: string) => void;
}

/** Whether it is waiting, being sent, or failed, and what the visitor can do about it. */
export const OutgoingState = ({ outgoing, onRetry, onDiscard }: OutgoingStateProps) => {
  const { texts, failureText } = useDisplay();
  const { id, state, failure, isFinal, upload } = outgoing;
  if (state === "failed")
    return (
      <div class="failure">
        <p>
          {texts.failed} {failureText(failure)}
        </p>
        <div class="failureActions">
          {!isFinal && (
            <button type="button" onClick={() => onRetry(id)}>
              {texts.retry}
            </button>
          )}
          <button type="button" onClick={() => onDiscard(id)}>
            {texts.discard}
          </button>
        </div>
      </div>
    );
  const stateText = <div class="detail">{texts[state]}</div>;
  if (!upload) return stateText;
  const name = visibleName(upload.name) || texts.file;
  return (
    <div class="uploadState">
      {state === "sending" ? (
        <progress max={Math.max(1, upload.bytes)} value={upload.sentBytes} aria-label={texts.uploading(name)} />
      ) : (
        stateText
      )}
      <IconButton icon="close" label={texts.cancelUpload(name)} onClick={() => onDiscard(id)} />
    </div>
  );
};
