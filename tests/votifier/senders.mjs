// Sends one vote with a sender written by others. Usage: senders.mjs votifier2|minecraft-server-util HOST PORT TOKEN USERNAME
// Ends with 0 if the receiver accepted the vote; otherwise prints its error.
import { promisify } from "node:util";
import minecraftServerUtil from "minecraft-server-util";
import votifier2 from "votifier2";

const [sender, host, portText, token, username] = process.argv.slice(2);
const port = Number(portText);
const vote = { username, serviceName: sender, address: "198.51.100.7", timestamp: 1767225600000 };

const senders = {
  votifier2: () => promisify(votifier2)({ host, port, token, vote }),
  "minecraft-server-util": () =>
    minecraftServerUtil.sendVote(host, port, { token, ...vote, uuid: "069a79f4-44e9-4726-a5be-fca90e38aaf5" }),
};

try {
  await senders[sender]();
  process.exit(0);
} catch (error) {
  console.log(error.message);
  process.exit(1);
}
