/** The products of the demo shop. */
export interface Product {
  readonly name: string;
  readonly description: string;
  /** With its currency. */
  readonly price: string;
  /** Elements of an SVG picture of 160 by 120 units. Colours are classes of the shop's style sheet. */
  readonly picture: string;
}

const jacket = (tone: string, details: string): string => `
  <path class="${tone}" d="M62 20 L42 34 L22 82 L36 88 L48 62 V104 H112 V62 L124 88 L138 82 L118 34 L98 20 Q80 30 62 20Z"/>
  <path class="shade" d="M62 20 Q80 30 98 20 L104 24 Q80 42 56 24Z"/>
  <path class="line" d="M80 34 V104"/>
  ${details}`;

export const PRODUCTS: readonly [Product, ...Product[]] = [
  {
    name: "Alpine jacket",
    description: "Two layers and a high collar, for cold wind. 540 g.",
    price: "€ 189",
    picture: jacket(
      "moss",
      `<path class="shade" d="M48 78 H112 V104 H48Z"/>
  <path class="line" d="M54 66 L68 62 M92 62 L106 66"/>`,
    ),
  },
  {
    name: "Coast jacket",
    description: "Light and waterproof, folds into its own pocket. 310 g.",
    price: "€ 149",
    picture: jacket(
      "sea",
      `<path class="light" d="M48 58 H112 V66 H48Z"/>
  <path class="line" d="M56 84 H70 V96 H56Z M90 84 H104 V96 H90Z"/>`,
    ),
  },
  {
    name: "Ridge backpack",
    description: "28 litres, a frame that lets air through. 980 g.",
    price: "€ 119",
    picture: `
  <path class="line" d="M66 24 Q80 12 94 24"/>
  <rect class="clay" x="52" y="22" width="56" height="82" rx="18"/>
  <rect class="shade" x="58" y="62" width="44" height="34" rx="8"/>
  <path class="line" d="M52 46 H108 M80 62 V74"/>
  <rect class="light" x="74" y="40" width="12" height="12" rx="3"/>
  <path class="line" d="M52 56 Q42 70 48 92 M108 56 Q118 70 112 92"/>`,
  },
  {
    name: "Two-person tent",
    description: "Stands in four minutes, also on rock. 1,850 g.",
    price: "€ 329",
    picture: `
  <path class="moss" d="M80 24 L26 98 H134Z"/>
  <path class="shade" d="M80 24 L108 98 H134Z"/>
  <path class="light" d="M80 44 L60 98 H88Z"/>
  <path class="line" d="M80 24 V16 M26 98 L16 104 M134 98 L144 104"/>`,
  },
  {
    name: "Camp stove",
    description: "Boils half a litre in two minutes. 95 g.",
    price: "€ 59",
    picture: `
  <path class="sea" d="M50 40 H110 L104 70 H56Z"/>
  <path class="light" d="M50 40 H110 L108 48 H52Z"/>
  <path class="line" d="M110 46 H128 M64 70 L56 104 M96 70 L104 104 M56 104 H66 M94 104 H104"/>
  <path class="clay" d="M80 74 Q92 86 80 98 Q68 86 80 74Z"/>`,
  },
  {
    name: "Enamel mug",
    description: "For coffee, soup and the dishwasher. 0.35 litres.",
    price: "€ 14",
    picture: `
  <path class="line" d="M104 50 Q128 52 122 72 Q116 88 102 84"/>
  <path class="clay" d="M50 38 H106 L102 96 Q78 106 54 96Z"/>
  <ellipse class="clay" cx="78" cy="38" rx="28" ry="7"/>
  <ellipse class="shade" cx="78" cy="38" rx="28" ry="7"/>
  <path class="light" d="M58 52 L60 86 H66 L64 52Z"/>`,
  },
];
