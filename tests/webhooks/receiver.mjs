// A receiver that checks signatures with `standardwebhooks` of npm: `node receiver.mjs PORT`. It reads a secret per line from standard
// input and prints `verified PATH ID TYPE` or `refused PATH REASON` for each request.
import { createServer } from "node:http";
import { createInterface } from "node:readline";
import { Webhook } from "standardwebhooks";

let webhook;
createInterface({ input: process.stdin }).on("line", (secret) => {
  webhook = new Webhook(secret);
  console.log("secret taken");
});

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  try {
    const message = webhook.verify(body, request.headers);
    let accepts = true;
    try {
      webhook.verify(`${body} `, request.headers);
    } catch {
      accepts = false;
    }
    if (accepts) throw new Error("a changed body is accepted");
    console.log(`verified ${request.url} ${request.headers["webhook-id"]} ${message.type}`);
    response.writeHead(204).end();
  } catch (error) {
    console.log(`refused ${request.url} ${error.message}`);
    response.writeHead(400).end();
  }
}).listen(Number(process.argv[2]), "127.0.0.1", () => console.log("listening"));
