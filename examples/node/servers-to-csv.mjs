// Writes all servers as CSV: reads page by page, and waits when a limit is used up. Needs Node.js 18 or later.
//
//   ROLLCALL_KEY=rc_… node servers-to-csv.mjs > servers.csv

const BASE = process.env.ROLLCALL_URL ?? "http://127.0.0.1:8080/v1";
const KEY = process.env.ROLLCALL_KEY;
/** A longer wait is not worth it: the limit of the day or month is used up. */
const LONGEST_WAIT_S = 120;
const RETRIED = new Set([429, 500, 503]);

async function get(path, attempt = 1) {
  const response = await fetch(BASE + path, { headers: { "X-API-Key": KEY } });
  if (RETRIED.has(response.status) && attempt < 5) {
    const seconds = Number(response.headers.get("retry-after") ?? attempt);
    if (seconds <= LONGEST_WAIT_S) {
      console.error(`${response.status}: waiting ${seconds} s`);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      return get(path, attempt + 1);
    }
  }
  const body = await response.json();
  if (!body.success) {
    throw new Error(`${response.status}: ${body.error}`);
  }
  return body.data;
}

/** All servers. The list may change meanwhile, so a server is kept once, by its id. */
async function allServers() {
  const servers = new Map();
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const data = await get(`/servers?sort=name&limit=100&page=${page}`);
    pages = data.pagination.totalPages;
    data.servers.forEach((server) => servers.set(server.id, server));
  }
  return [...servers.values()];
}

/** A value for CSV. One that a spreadsheet would take for a formula gets a quote before it. */
function cell(value) {
  const text = String(value ?? "");
  const safe = typeof value === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

async function main() {
  if (!KEY) {
    throw new Error("Set ROLLCALL_KEY to your API key.");
  }
  const columns = ["slug", "name", "ip", "port", "isOnline", "currentPlayers", "maxPlayers", "version", "country", "uptime"];
  const rows = (await allServers()).map((server) => columns.map((column) => cell(server[column])).join(","));
  console.log([columns.join(","), ...rows].join("\n"));
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
