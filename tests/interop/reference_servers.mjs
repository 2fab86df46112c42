// Third-party servers: Java Edition by minecraft-protocol, Bedrock Edition by jsp-raknet. Prints their ports and the status
// they report as one line of JSON, and exits when standard input closes.
import raknet from "jsp-raknet";
import ServerName from "jsp-raknet/js/utils/ServerName.js";
import minecraft from "minecraft-protocol";

const host = "127.0.0.1";
const png = "iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQAAAACCEkxzAAAAF0lEQVR42mNg+A+FFDKoZAzDqHuGlHsA8wL/AYF093AAAAAASUVORK5CYII=";
const icon = `data:image/png;base64,${png}`;
const notch = { name: "Notch", id: "069a79f4-44e9-4726-a5be-fca90e38aaf5" };
const advert = { name: "§6Vote now!", id: "00000000-0000-0000-0000-000000000000" };
const manyPlayers = [...Array(12).keys()].map((n) => ({ name: `Player_${n}`, id: `00000000-0000-4000-8000-0000000000${n + 10}` }));

// `styles` states the expected MOTD styles where mcstatus lacks a feature of components, such as inherited colours.
const java = [
  { version: "1.7", motd: "An old one", icon: icon.replace(/.{40}/g, "$&\n"), max: 100 },
  { version: "1.8.9", motd: "A Minecraft Server" },
  { version: "1.12.2", motd: "§6§lGold §r§7and grey\n  §a§oa second line §kxx§r!", icon, players: 3, sample: [notch] },
  {
    version: "1.16.5",
    motd: "Fire and ice",
    description: {
      text: "",
      extra: [
        { text: "Fire", color: "#ff8800", bold: true },
        { text: " and ", color: "gray" },
        { text: "ice\n", color: "#00CCFF", italic: true, underlined: true },
        "plain",
      ],
    },
  },
  { version: "1.20.4", motd: "日本語 Ünïcödé 🎮 عربى עברית", description: "§d日本語 Ünïcödé 🎮\n§eعربى עברית", players: 1, sample: [notch] },
  {
    version: "1.21.4",
    motd: "within",
    description: {
      text: "p",
      color: "gold",
      bold: true,
      extra: [{ text: "q", bold: false, extra: ["r"] }, { text: "s", color: "reset" }, { text: "t", color: "#010203" }],
    },
    styles: [["p", "gold", ["bold"]], ["qr", "gold", []], ["s", null, ["bold"]], ["t", "#010203", ["bold"]]],
  },
  {
    version: "1.21.8",
    motd: "a list",
    description: [{ text: "a", color: "gold" }, "b", { text: "c", color: "dark_purple", strikethrough: true }],
    styles: [["ab", "gold", []], ["c", "dark_purple", ["strikethrough"]]],
  },
  { version: "1.21.11", motd: "many", players: 123456, max: 2147483647, sample: [advert, ...manyPlayers] },
  { version: "26.1", motd: "", max: 0 },
];

const bedrock = [
  { motd: "Dedicated Server", name: "Bedrock level", players: 0, max: 10, version: "1.16.20", protocol: 408 },
  { motd: "§bBlue é 🎮 §gcoin", name: "§oעברית und mehr", players: 1234, max: 99999, version: "1.21.93", protocol: 819 },
];

async function startJava({ version, motd, description, icon, players = 0, max = 20, sample = [], styles }) {
  const server = minecraft.createServer({
    host,
    port: 0,
    version,
    motd,
    maxPlayers: max,
    favicon: icon,
    "online-mode": false,
    hideErrors: true,
    beforePing: (response) => {
      response.players.sample = sample;
      response.description = description ?? response.description;
    },
  });
  server.playerCount = players;
  // Protocol errors of a client show up in the status it reads.
  server.on("connection", (client) => client.on("error", () => {}));
  await new Promise((done) => server.once("listening", done));
  const expected = {
    version: server.mcversion.minecraftVersion,
    protocol: server.mcversion.version,
    players,
    maxPlayers: max,
    sample: sample.map(({ name, id }) => ({ name, uuid: id })),
    icon: icon ? png : null,
  };
  return { name: `Java ${version}`, edition: "java", port: server.socketServer.address().port, expected, legacyMotd: motd, styles };
}

async function startBedrock({ motd, name, players, max, version, protocol }) {
  const status = new ServerName.default();
  Object.assign(status, { motd, name, version, protocol, players: { online: players, max } });
  const server = await new raknet.Server(host, 0, status).listen();
  const expected = { version, protocol, players, maxPlayers: max, motdRaw: `${motd}\n${name}` };
  return { name: `Bedrock ${version}`, edition: "bedrock", port: server.socket.address().port, expected };
}

const servers = [...(await Promise.all(java.map(startJava))), ...(await Promise.all(bedrock.map(startBedrock)))];
console.log(JSON.stringify(servers));
process.stdin.on("end", () => process.exit()).resume();
