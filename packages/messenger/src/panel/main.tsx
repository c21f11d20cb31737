/** @jsxImportSource preact */
import { render } from "preact";

const place = document.querySelector("#panel");
if (place) render(<p>Messages</p>, place);
