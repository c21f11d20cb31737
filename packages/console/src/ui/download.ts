/** How long the browser may take to begin the download. @units milliseconds */
const KEPT_MS = 60_000;

/** Downloads a file that the page has made or read. */
export const downloadFile = (file: Blob, name: string): void => {
  const url = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
};
