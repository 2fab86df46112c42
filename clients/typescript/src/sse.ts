// Server-sent events: text in, messages out. Memory is bounded.

/** More than any event of the service has. */
const MAX_MESSAGE = 1 << 20;

/** What one block of the stream says. */
export interface Message {
  id?: string;
  event: string;
  /** Empty: the block only sets the id or the time. */
  data: string;
  /** Milliseconds. */
  retry?: number;
}

export class MessageDecoder {
  #text = "";
  #message: Message = { event: "", data: "" };

  /** The messages that this text completes. Throws if one is too long. */
  *push(text: string): Generator<Message, void, undefined> {
    this.#text += text;
    let start = 0;
    for (;;) {
      const end = this.#text.slice(start).search(/\r\n|\n|\r(?!$)/);
      if (end === -1) {
        break;
      }
      const line = this.#text.slice(start, start + end);
      start += end + (this.#text.startsWith("\r\n", start + end) ? 2 : 1);
      const message = this.#endLine(line);
      if (message) {
        yield message;
      }
    }
    this.#text = this.#text.slice(start);
    if (this.#text.length + this.#message.data.length > MAX_MESSAGE) {
      throw new RangeError("an event that is too long");
    }
  }

  #endLine(line: string): Message | undefined {
    const message = this.#message;
    if (line === "") {
      this.#message = { event: "", data: "" };
      message.data = message.data.replace(/\n$/, "");
      return message.data !== "" || message.id !== undefined || message.retry !== undefined || message.event !== "" ? message : undefined;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "data") {
      message.data += `${value}\n`;
    } else if (field === "event") {
      message.event = value;
    } else if (field === "id" && !value.includes("\0")) {
      message.id = value;
    } else if (field === "retry" && /^\d{1,9}$/.test(value)) {
      message.retry = Number(value);
    }
    // Comments keep the connection open.
    return undefined;
  }
}
