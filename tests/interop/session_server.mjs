// A session server for the tests, with one account. Clients join with `POST /session/minecraft/join`; the listener asks with
// `GET /session/minecraft/hasJoined` and gets the profile only for the digest with which that account has joined.
import { once } from "node:events";
import { createServer } from "node:http";

export const account = {
  id: "069a79f444e94726a5befca90e38aaf5",
  name: "Notch",
  accessToken: "the token of the account",
};

export class SessionServer {
  /** What the listener gets instead of an answer, as `{ status, body }`. */
  override = null;
  /** The digests that clients sent and those that the listener asked for, oldest first. */
  joined = [];
  asked = [];

  async start() {
    this.server = createServer((request, response) => this.answer(request, response));
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    return `http://127.0.0.1:${this.server.address().port}/api`;
  }

  stop() {
    this.server.close();
  }

  async answer(request, response) {
    const url = new URL(request.url, "http://localhost");
    const [status, body] =
      request.method === "POST" && url.pathname === "/api/session/minecraft/join"
        ? await this.join(request)
        : request.method === "GET" && url.pathname === "/api/session/minecraft/hasJoined"
          ? this.hasJoined(url.searchParams)
          : [404, { error: "Not Found" }];
    response.writeHead(status, { "content-type": "application/json" });
    response.end(body && JSON.stringify(body));
  }

  async join(request) {
    let text = "";
    for await (const chunk of request) text += chunk;
    const { accessToken, selectedProfile, serverId } = JSON.parse(text);
    if (accessToken !== account.accessToken || selectedProfile !== account.id) {
      return [403, { error: "ForbiddenOperationException", errorMessage: "Invalid token." }];
    }
    this.joined.push(serverId);
    return [204];
  }

  hasJoined(query) {
    const serverId = query.get("serverId");
    this.asked.push(serverId);
    if (this.override) return [this.override.status, this.override.body];
    const isKnown = query.get("username").toLowerCase() === account.name.toLowerCase() && this.joined.includes(serverId);
    return isKnown ? [200, { id: account.id, name: account.name, properties: [] }] : [204];
  }
}
