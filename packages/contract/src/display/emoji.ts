/** An emoji with its names. Pages load the list when somebody opens it: the entry `@parley/contract/emoji`. */
export interface Emoji {
  readonly emoji: string;
  /** Names, separated by commas. */
  readonly en: string;
  readonly de: string;
}

/** Each line: the emoji, its names in English, its names in German. */
const LINES = `
😀|grinning face|grinsendes Gesicht
😃|happy face|fröhliches Gesicht
😄|laughing face, smiling eyes|lachendes Gesicht
😁|beaming face|strahlendes Gesicht
😆|squinting laugh|herzhaftes Lachen
😅|relieved laugh, sweat|erleichtertes Lachen, Schweiß
😂|tears of joy|Freudentränen
🙂|slight smile|leichtes Lächeln
🙃|upside-down face|umgekehrtes Gesicht
😉|wink|Zwinkern
😊|warm smile, blush|herzliches Lächeln
😇|halo, angel|Heiligenschein, Engel
🥰|smile with hearts|Lächeln mit Herzen
😍|heart eyes|Herzaugen
🤩|star eyes, excited|Sternaugen, begeistert
😘|kiss|Kuss
😋|tasty, yum|lecker
😛|tongue|Zunge
😜|wink with tongue|Zwinkern mit Zunge
🤗|hug|Umarmung
🤭|oops, hand over mouth|hoppla, Hand vor Mund
🤫|quiet, shush|leise, psst
🤔|thinking|nachdenklich
🤐|zipped mouth|verschlossener Mund
😐|neutral face|neutrales Gesicht
😑|no expression|ausdruckslos
😶|no words|sprachlos
😏|smirk|verschmitzt
😒|unamused|genervt
🙄|rolling eyes|Augenrollen
😬|grimace|Grimasse
😌|relieved|erleichtert
😔|pensive|bedrückt
😪|sleepy|müde
😴|asleep|schlafend
😷|mask|Maske
🤒|ill, thermometer|krank, Thermometer
🤕|injured, bandage|verletzt, Verband
🤢|nausea|Übelkeit
🥳|party, celebrate|Party, feiern
😎|sunglasses, cool|Sonnenbrille, cool
🤓|glasses, nerd|Brille, Streber
🧐|monocle, examine|Monokel, prüfen
😕|confused|verwirrt
😟|worried|besorgt
🙁|slight frown|leicht traurig
😮|surprised|überrascht
😲|astonished|erstaunt
😳|embarrassed, flushed|verlegen, errötet
🥺|pleading|flehend
😢|crying|weinend
😭|loud crying|heulend
😞|disappointed|enttäuscht
😓|cold sweat|kalter Schweiß
😩|weary|erschöpft
😫|tired|ermüdet
😤|huff, triumph|schnaubend
😠|angry|verärgert
😡|furious|wütend
🤯|mind blown|überwältigt
😱|scream, fear|Schrei, Angst
🥶|freezing, cold|frierend, kalt
🥵|hot, heat|heiß, Hitze
👋|wave, hello|winken, hallo
🤚|raised hand|erhobene Hand
✋|hand, stop|Hand, stopp
👌|OK hand|OK
✌️|victory, peace|Sieg, Frieden
🤞|fingers crossed, luck|Daumen drücken, Glück
🤝|handshake, deal|Händedruck, abgemacht
👍|thumbs up, yes|Daumen hoch, ja
👎|thumbs down, no|Daumen runter, nein
👏|applause, clap|Applaus, klatschen
🙌|raised hands, hooray|Hände hoch, hurra
🙏|thanks, please|danke, bitte
💪|strong, muscle|stark, Muskel
👉|point right|nach rechts zeigen
👈|point left|nach links zeigen
👆|point up|nach oben zeigen
👇|point down|nach unten zeigen
✍️|writing hand|schreibende Hand
👀|eyes, look|Augen, ansehen
🧠|brain, idea|Gehirn, Idee
👤|person, profile|Person, Profil
👥|people, group|Personen, Gruppe
🤷|shrug, don't know|Achselzucken, weiß nicht
🙋|raising a hand|sich melden
🙇|bow, sorry|Verbeugung, Entschuldigung
❤️|red heart, love|rotes Herz, Liebe
🧡|orange heart|orangefarbenes Herz
💛|yellow heart|gelbes Herz
💚|green heart|grünes Herz
💙|blue heart|blaues Herz
💜|purple heart|lila Herz
💔|broken heart|gebrochenes Herz
✨|sparkles|Funkeln
⭐|star|Stern
🌟|glowing star|leuchtender Stern
🔥|fire|Feuer
💯|hundred points|hundert Punkte
🎉|party popper, congratulations|Konfetti, Glückwunsch
🎊|confetti ball|Konfettiball
🎁|present, gift|Geschenk
🎂|birthday cake|Geburtstagstorte
🏆|trophy, win|Pokal, Gewinn
🥇|gold medal|Goldmedaille
🎯|target, goal|Ziel, Treffer
🚀|rocket, launch|Rakete, Start
✅|check mark, done|Haken, erledigt
☑️|ticked box|angekreuztes Kästchen
❌|cross, wrong|Kreuz, falsch
❗|exclamation mark|Ausrufezeichen
❓|question mark|Fragezeichen
⚠️|warning|Warnung
🚫|forbidden|verboten
ℹ️|information|Information
🆗|OK button|OK-Taste
🆕|new|neu
🔔|bell, notification|Glocke, Benachrichtigung
🔕|no notifications|keine Benachrichtigungen
💬|speech bubble, chat|Sprechblase, Chat
💭|thought bubble|Gedankenblase
📞|telephone, call|Telefon, Anruf
📱|mobile phone|Handy
💻|laptop, computer|Laptop, Computer
🖥️|screen, desktop|Bildschirm
🖨️|printer|Drucker
⌨️|keyboard|Tastatur
📧|e-mail|E-Mail
📨|incoming mail|eingehende Post
📩|letter, send|Brief, senden
📎|paper clip, attachment|Büroklammer, Anhang
📄|document, page|Dokument, Seite
📝|note, memo|Notiz
📅|calendar, date|Kalender, Datum
📆|tear-off calendar|Abreißkalender
📈|rising chart|steigende Kurve
📉|falling chart|fallende Kurve
📊|bar chart|Balkendiagramm
📌|pin|Pinnnadel
📍|place, location|Ort, Standort
📦|parcel, package|Paket
🚚|delivery lorry|Lieferwagen
✈️|aeroplane, flight|Flugzeug, Flug
🚗|car|Auto
🏠|house, home|Haus, Zuhause
🏢|office building|Bürogebäude
🛒|shopping cart|Einkaufswagen
💳|credit card, payment|Kreditkarte, Zahlung
💰|money|Geld
💶|euro banknote|Euroschein
🧾|receipt, invoice|Beleg, Rechnung
🔑|key|Schlüssel
🔒|locked|gesperrt, Schloss
🔓|unlocked|entsperrt
🔍|magnifying glass, search|Lupe, Suche
🔗|link|Link, Kette
🔧|wrench, repair|Schraubenschlüssel, Reparatur
🛠️|tools|Werkzeug
⚙️|gear, settings|Zahnrad, Einstellungen
💡|light bulb, idea|Glühbirne, Idee
🐛|bug, error|Käfer, Fehler
⏰|alarm clock|Wecker
⏳|hourglass, wait|Sanduhr, warten
🕐|clock, one o'clock|Uhr, ein Uhr
☀️|sun|Sonne
🌧️|rain|Regen
❄️|snow|Schnee
🌈|rainbow|Regenbogen
🌱|seedling, plant|Keimling, Pflanze
🌹|rose|Rose
☕|coffee|Kaffee
🍕|pizza|Pizza
🍰|cake|Kuchen
🥂|cheers, glasses|Prost, Gläser
`;

/** Common emoji in the order in which they are shown. */
export const EMOJIS: readonly Emoji[] = LINES.trim()
  .split("\n")
  .map((line) => {
    const [emoji = "", en = "", de = ""] = line.split("|");
    return { emoji, en, de };
  });
